import type { CaseResult } from "../run/outcome.js";
import { clauseText } from "./clause-text.js";
import { failureText, reasonOf } from "./failure-text.js";
import { furtherSuiteText } from "./further-suites-text.js";
import { escapeMarkup } from "./markup.js";
import type { ReportedCheck, SuiteReport } from "./suite-report.js";

/** Renders a report as JUnit XML with a test suite for each tier and a test case for each check and round. */
export function junitReport(report: SuiteReport): string {
  const suites = report.tiers.map(({ tier, plugin }) =>
    suiteElement(report, `${report.implementation} ${tier} (${plugin})`, casesOf(report, tier)),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    element(
      "testsuites",
      { name: `membus conformance of ${report.implementation}`, ...seconds(report) },
      suites,
    ),
    "",
  ].join("\n");
}

interface Case {
  readonly check: ReportedCheck;
  readonly result: CaseResult;
}

function casesOf({ checks }: SuiteReport, tier: string): Case[] {
  return checks.flatMap((check) =>
    check.cases.filter((result) => result.tier === tier).map((result) => ({ check, result })),
  );
}

function suiteElement(report: SuiteReport, name: string, cases: readonly Case[]): string {
  const { startedAt, seed } = report;
  const { checked, unchecked } = report.clauses;
  const count = (...outcomes: string[]) =>
    String(cases.filter(({ result }) => outcomes.includes(result.outcome)).length);
  const attributes = {
    name,
    tests: String(cases.length),
    failures: count("fail", "untestable"),
    errors: count("suite-error"),
    skipped: count("not-applicable", "blocked"),
    timestamp: new Date(startedAt * 1_000).toISOString(),
    ...seconds({ durationMs: cases.reduce((sum, { result }) => sum + result.durationMs, 0) }),
  };
  const properties = element("properties", {}, [
    element("property", { name: "seed", value: String(seed) }, []),
    element("property", { name: "clauses_checked", value: String(checked) }, []),
    element("property", { name: "clauses_without_applicable_check", value: String(unchecked.length) }, []),
    ...report.furtherSuites.map((suite) =>
      element("property", { name: "further_suite", value: furtherSuiteText(suite) }, []),
    ),
  ]);
  return element("testsuite", attributes, [properties, ...cases.map(caseElement)]);
}

function caseElement({ check, result }: Case): string {
  const attributes = {
    classname: check.id.slice(0, check.id.indexOf("/")),
    name: check.id,
    ...seconds(result),
  };
  return element("testcase", attributes, outcomeElements(check, result));
}

function outcomeElements(check: ReportedCheck, result: CaseResult): string[] {
  const { outcome, reason = "", discrepancy } = result;
  switch (outcome) {
    case "pass":
      return [];
    case "blocked":
    case "not-applicable":
      return [element("skipped", { message: reason }, [])];
    case "fail":
    case "untestable":
    case "suite-error": {
      const message =
        discrepancy === undefined
          ? reasonOf(outcome, reason)
          : `${discrepancy.what}: expected ${discrepancy.expected}, got ${discrepancy.got}`;
      const text = failureText({ ...check, outcome, cases: [result] });
      const name = outcome === "suite-error" ? "error" : "failure";
      const type = `${outcome}: ${check.clauses.map(clauseText).join(" ")}`;
      return [element(name, { message, type }, [escapeMarkup(text)])];
    }
  }
}

function seconds({ durationMs }: { readonly durationMs: number }) {
  return { time: (durationMs / 1_000).toFixed(3) };
}

/** Renders an element. `content` must be escaped already. */
function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  content: readonly string[],
): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeMarkup(value)}"`);
  const open = `${name}${given.join("")}`;
  return content.length === 0 ? `<${open}/>` : `<${open}>\n${content.join("\n")}\n</${name}>`;
}
