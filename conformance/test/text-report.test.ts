import { expect, it } from "vitest";
import { htmlReport } from "../src/report/html-report.js";
import { textReport } from "../src/report/text-report.js";
import { SAMPLE_REPORT } from "./sample-report.js";

it("lists the red checks with all details, then the checks that do not apply, then the scores", async () => {
  await expect(textReport(SAMPLE_REPORT)).toMatchFileSnapshot("./sample-report.txt");
});

it("calls a run conformant to the profiles that it claims and keeps", () => {
  const checks = SAMPLE_REPORT.checks.filter(({ outcome }) => outcome === "pass");
  const kept = { ...SAMPLE_REPORT.profiles[0]!, conformant: true };
  const report = { ...SAMPLE_REPORT, checks, profiles: [kept], conformant: true };
  expect(textReport(report)).toMatch(
    /\n\nConformant to core 1\.0\. Also run a-kit\/suite, which this suite does not replace\.\n$/,
  );
  expect(textReport({ ...report, furtherSuites: [] })).toMatch(/\n\nConformant to core 1\.0\.\n$/);
});

it("makes no statement about conformance after a run of selected checks", () => {
  const checks = SAMPLE_REPORT.checks.filter(({ outcome }) => outcome === "pass");
  const report = { ...SAMPLE_REPORT, checks, complete: false };
  expect(textReport(report)).toMatch(
    /\n\n1 selected checks: none is red\. Only a complete run can show conformance\.\n$/,
  );
});

it("shows a check that failed in some rounds once for its tier, with how often", () => {
  const check = SAMPLE_REPORT.checks[1]!;
  const [failed] = check.cases;
  const passed = { ...failed!, outcome: "pass" } as const;
  const report = {
    ...SAMPLE_REPORT,
    repeat: 3,
    checks: [{ ...check, cases: [passed, failed!, { ...failed! }] }],
  };
  const text = textReport(report);
  expect(text).toContain("  tier      working (2 of 3 times)\n");
  expect(text.match(/^ +checked /gm)).toHaveLength(1);
  expect(text).toContain("seed           7, each check 3 times");
});

it("merges equal failures of several tiers", () => {
  const check = SAMPLE_REPORT.checks[1]!;
  const [failed] = check.cases;
  const elsewhere = { what: "total of a <retrieve>", expected: "5 & no less", got: "4" };
  const cases = [
    { ...failed!, tier: "semantic", discrepancy: elsewhere } as const,
    { ...failed!, tier: "episodic" } as const,
    failed!,
  ];
  const text = textReport({ ...SAMPLE_REPORT, checks: [{ ...check, cases }] });
  expect(text.match(/^ {2}tier .*|^ {2}got .*/gm)).toEqual([
    "  tier      working, episodic",
    "  got       3",
    "  tier      semantic",
    "  got       4",
  ]);
});

it("shows the last of many calls, and shortens long values", () => {
  const check = SAMPLE_REPORT.checks[1]!;
  const calls = Array.from({ length: 9 }, (_, number) => ({
    call: `call ${number}`,
    sent: "many words ".repeat(200),
    got: "{}",
  }));
  const cases = [{ ...check.cases[0]!, calls }];
  const text = textReport({ ...SAMPLE_REPORT, checks: [{ ...check, cases }] });
  expect(text).toContain("  calls     the last 6 of 9\n    call 3\n      sent  many words");
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(800);
});

it("has the text of each clause beside a check that failed in the same way as another", () => {
  const check = SAMPLE_REPORT.checks[1]!;
  const alike = { ...check, id: "retrieve/other", clauses: ["RET-5"] };
  const report = { ...SAMPLE_REPORT, checks: [check, alike] };
  const clause = "RET-5 MUST ";
  expect(textReport(report)).toContain(
    `  the same: retrieve/other (MUST), again by ${check.rerun}\n    ${clause}`,
  );
  expect(htmlReport(report)).toContain(`<p class="clause">${clause}`);
});
