import { FEATURES, type Feature } from "@membus/protocol/plugin";
import type { SuiteReport } from "../src/report/suite-report.js";

const CALLS = [
  {
    call: "first@default memory/store/req",
    sent: '{"entries":[{"key":"a","content":"<b> & \\"c\\""}]}',
    got: '{"stored":[{"name":"a"}]}',
  },
  { call: "first@default memory/retrieve/req", sent: '{"limit":3}', got: '{"entries":[],"total":3}' },
];

function features(...declared: Feature[]): Record<Feature, boolean> {
  const names = Object.keys(FEATURES) as Feature[];
  return Object.fromEntries(names.map((name) => [name, declared.includes(name)])) as Record<Feature, boolean>;
}

function result(id: string, outcome: SuiteReport["checks"][number]["outcome"]) {
  const run = { tier: "working", outcome, seed: 99, assertions: 2, durationMs: 12 } as const;
  return {
    id,
    level: "MUST",
    clauses: ["RET-1"],
    outcome,
    cases: [run],
    profiles: ["core"],
    seed: 7,
    rerun: `npx membus-conformance plugin ./p.js --only ${id} --seed 7`,
  } as const;
}

/** A report with one check for each outcome and each kind of failure. */
export const SAMPLE_REPORT: SuiteReport = {
  suiteVersion: "0.1.0",
  protocolVersion: "1.0",
  implementation: "./p<1>.js",
  route: "plugin",
  seed: 7,
  repeat: 1,
  startedAt: 1_700_000_000,
  durationMs: 1_500,
  tiers: [
    {
      tier: "working",
      plugin: "sample 1.2.3",
      features: features("ttl", "full_text", "similarity", "conditional", "subtree", "queued", "durable"),
    },
  ],
  notClaimed: [
    { feature: "shared", meaning: FEATURES.shared, tiers: ["working"] },
    { feature: "eviction", meaning: FEATURES.eviction, tiers: ["working"] },
  ],
  furtherSuites: [{ module: "a-kit/suite", tests: "the `Storage` of <it>" }],
  checks: [
    result("store/created-then-updated", "pass"),
    {
      ...result("retrieve/limit-is-upper-bound", "fail"),
      clauses: ["RET-1", "RET-6"],
      cases: [
        {
          ...result("retrieve/limit-is-upper-bound", "fail").cases[0],
          discrepancy: { what: "total of a <retrieve>", expected: "5 & no less", got: "3" },
          calls: CALLS,
        },
      ],
    },
    {
      ...result("model/sequences-agree-with-a-map", "fail"),
      known: "fixed in 2.0",
      cases: [
        {
          ...result("model/sequences-agree-with-a-map", "fail").cases[0],
          discrepancy: { what: "outcome of a store", expected: "created", got: "updated" },
          script: "await replayOnPlugin(plugin, [\n]);\n",
          calls: CALLS,
        },
      ],
    },
    {
      ...result("durability/survives-a-kill", "untestable"),
      profiles: ["durable"],
      cases: [{ ...result("", "untestable").cases[0], assertions: 0, reason: "needs the plugin's module" }],
    },
    {
      ...result("store/every-entry-of-a-batch-is-kept", "suite-error"),
      cases: [{ ...result("", "suite-error").cases[0], reason: "TypeError: oh\n    at there" }],
    },
    {
      ...result("eviction/drops-the-least-recently-used", "not-applicable"),
      level: "SHOULD",
      cases: [
        { ...result("", "not-applicable").cases[0], assertions: 0, reason: "eviction is not declared" },
      ],
    },
  ],
  profiles: [
    {
      profile: "core",
      version: "1.0",
      claimed: true,
      conformant: false,
      must: { passed: 1, total: 4 },
      should: { passed: 0, total: 0 },
      notApplicable: ["eviction/drops-the-least-recently-used"],
      notRun: [],
    },
    {
      profile: "shared",
      version: "1.0",
      claimed: false,
      conformant: false,
      must: { passed: 0, total: 0 },
      should: { passed: 0, total: 0 },
      notApplicable: [],
      notRun: [],
    },
  ],
  excludedClauses: [
    { id: "ENV-7", level: "MUST", text: "A receiver ignores fields.", reason: "Only a receiver can tell." },
  ],
  staleBaseline: ["store/created-then-updated"],
  complete: true,
  clauses: { total: 5, checked: 3, unchecked: ["ENV-7", "SCOPE-4"] },
  conformant: false,
};
