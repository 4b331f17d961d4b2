import { expect, it } from "vitest";
import { junitReport } from "../src/report/junit-report.js";
import { SAMPLE_REPORT } from "./sample-report.js";
import { parseWellFormedXml } from "./well-formed-xml.js";

it("has a test case for each check, and counts red checks, suite errors and checks that do not apply", () => {
  const elements = parseWellFormedXml(junitReport(SAMPLE_REPORT));
  const suite = elements.find(({ name }) => name === "testsuite")!;
  expect(suite.attributes).toMatchObject({ tests: "6", failures: "3", errors: "1", skipped: "1" });
  const cases = elements.filter(({ name }) => name === "testcase");
  expect(
    cases.map(({ attributes }) => `${attributes.classname} ${attributes.name} ${attributes.time}`),
  ).toEqual([
    "store store/created-then-updated 0.012",
    "retrieve retrieve/limit-is-upper-bound 0.012",
    "model model/sequences-agree-with-a-map 0.012",
    "durability durability/survives-a-kill 0.012",
    "store store/every-entry-of-a-batch-is-kept 0.012",
    "eviction eviction/drops-the-least-recently-used 0.012",
  ]);
  expect(elements.filter(({ name }) => name === "skipped")).toEqual([
    { name: "skipped", attributes: { message: "eviction is not declared" } },
  ]);
});

it("reports the number of clauses without an applicable check", () => {
  const elements = parseWellFormedXml(junitReport(SAMPLE_REPORT));
  const properties = elements.filter(({ name }) => name === "property").map(({ attributes }) => attributes);
  expect(properties).toEqual([
    { name: "seed", value: "7" },
    { name: "clauses_checked", value: "3" },
    { name: "clauses_without_applicable_check", value: "2" },
    { name: "further_suite", value: "a-kit/suite tests the `Storage` of &lt;it&gt;" },
  ]);
});

it("contains the expected and the actual value of a failure, escaped", () => {
  const elements = parseWellFormedXml(junitReport(SAMPLE_REPORT));
  const failure = elements.find(({ name }) => name === "failure")!;
  expect(failure.attributes.message).toBe("total of a &lt;retrieve&gt;: expected 5 &amp; no less, got 3");
  expect(failure.attributes.type).toMatch(/^fail: RET-1 MUST Criteria/);
});

it("is well-formed for any reply of an implementation", () => {
  const check = SAMPLE_REPORT.checks[1]!;
  const got = 'a\u0000\u001b[31m "quoted" \ud800 ]]> <![CDATA[ \uffff &amp; 😀';
  const cases = [{ ...check.cases[0]!, discrepancy: { what: "w", expected: "e", got } }];
  const xml = junitReport({ ...SAMPLE_REPORT, checks: [{ ...check, cases }] });
  expect(parseWellFormedXml(xml).map(({ name }) => name)).toContain("failure");
  for (const character of ["\u0000", "\u001b", "\uffff"]) expect(xml).not.toContain(character);
  expect(xml).toContain("😀");
});

it("is checked by a parser that refuses malformed XML", () => {
  for (const bad of ["<a>", "<a></b>", "<a>&</a>", '<a b="<"/>', "<a b=c/>"]) {
    expect(() => parseWellFormedXml(bad), bad).toThrow();
  }
});
