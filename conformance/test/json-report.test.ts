import { expect, it } from "vitest";
import { jsonReport } from "../src/report/json-report.js";
import { SAMPLE_REPORT } from "./sample-report.js";

const json = JSON.parse(jsonReport(SAMPLE_REPORT));

it("has these fields, starting with the format", () => {
  expect(json.format).toEqual({ name: "membus-conformance-report", version: 1 });
  expect(Object.keys(json)).toEqual([
    "format",
    "suite_version",
    "protocol_version",
    "implementation",
    "route",
    "seed",
    "repeat",
    "started_at",
    "duration_ms",
    "complete",
    "conformant",
    "tiers",
    "not_claimed",
    "further_suites",
    "profiles",
    "checks",
    "clauses",
    "excluded_clauses",
    "stale_baseline",
  ]);
});

it("has a check's id, level, clauses, outcome and cases, and how to run it again", () => {
  const { cases, ...check } = json.checks[1];
  expect(check).toEqual({
    id: "retrieve/limit-is-upper-bound",
    level: "MUST",
    clauses: ["RET-1", "RET-6"],
    outcome: "fail",
    clause_texts: [
      "RET-1 MUST Criteria, `min_score` and expiry apply before the limit, on every path.",
      "RET-6 MUST An absent `order` is `relevance` with a query or an embedding, and `newest` without.",
    ],
    profiles: ["core"],
    seed: 7,
    rerun: "npx membus-conformance plugin ./p.js --only retrieve/limit-is-upper-bound --seed 7",
  });
  expect(cases).toEqual([
    {
      tier: "working",
      outcome: "fail",
      seed: 99,
      assertions: 2,
      duration_ms: 12,
      discrepancy: { what: "total of a <retrieve>", expected: "5 & no less", got: "3" },
      calls: [
        {
          call: "first@default memory/store/req",
          sent: '{"entries":[{"key":"a","content":"<b> & \\"c\\""}]}',
          got: '{"stored":[{"name":"a"}]}',
        },
        { call: "first@default memory/retrieve/req", sent: '{"limit":3}', got: '{"entries":[],"total":3}' },
      ],
    },
  ]);
  expect(json.checks[2].known).toBe("fixed in 2.0");
});

it("names every outcome", () => {
  expect(json.checks.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    "pass",
    "fail",
    "fail",
    "untestable",
    "suite-error",
    "not-applicable",
  ]);
});

it("reports the number of clauses without an applicable check, and their ids", () => {
  expect(json.clauses).toEqual({ total: 5, checked: 3, unchecked: ["ENV-7", "SCOPE-4"] });
});

it("has the scores in snake_case", () => {
  expect(json.profiles[0]).toEqual({
    profile: "core",
    version: "1.0",
    claimed: true,
    conformant: false,
    must: { passed: 1, total: 4 },
    should: { passed: 0, total: 0 },
    not_applicable: ["eviction/drops-the-least-recently-used"],
    not_run: [],
  });
});
