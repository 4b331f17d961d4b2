import type { Message } from "@membus/protocol";

/** A request: its type and its fields. */
export type Step = readonly [type: string, fields: Message];

const TIERS = ["working", "episodic", "semantic"];
const TEXTS = [
  "The tides follow the moon",
  "Earth orbits the Sun in a year",
  "The invoice is due on Friday",
  "Bob prefers green tea in the morning",
  "A leap year has a day more",
];

function entriesFor(tier: string): Message[] {
  return TEXTS.map((text, n) => ({
    key: { tier, n },
    content: { text },
    tier,
    tags: [n % 2 === 0 ? "even" : "odd"],
    group: `group-${n % 2}`,
    importance: 1 - n / 10,
    occurred_at: 1_700_000_000 + 86_400 * n,
    metadata: { n },
  }));
}

const STORE_ALL: Step = ["memory/store/req", { id: "all", entries: TIERS.flatMap(entriesFor) }];
const AT = { occurred_at: 1_600_000_000 };
const CONDITIONAL = { ...AT, key: "once", content: "first", tier: "episodic", if_revision: 0 };
const STALE = { ...CONDITIONAL, if_revision: 1 };

const RANKED: Step[] = ["year", "moon and tides", "solar system", "group tea", "zebra"].flatMap((query) =>
  [...TIERS, undefined].map(
    (tier): Step => ["memory/retrieve/req", { query, tier, limit: 3, min_score: 0.01 }],
  ),
);

/** Requests of one agent: writes, retries, searches, counts, and errors of every kind. */
export const STEPS: readonly Step[] = [
  ["memory/retrieve/req", { query: "year" }],
  STORE_ALL,
  STORE_ALL,
  ["memory/store/req", { id: "all", entries: [{ key: "another body", content: 1 }] }],
  ...RANKED,
  [
    "memory/retrieve/req",
    { query: "year", tags: ["odd"], where: { field: "metadata.n", op: "gt", value: 1 } },
  ],
  ["memory/retrieve/req", { mode: "vector", query: "astronomy", tier: "episodic" }],
  ["memory/retrieve/req", { order: "oldest", limit: 4, namespace: "default/**" }],
  ["memory/retrieve/req", { limit: 0, tags: ["even"] }],
  ["memory/retrieve/req", { keys: [{ tier: "working", n: 1 }, "nowhere"] }],
  ["memory/store/req", { entries: [CONDITIONAL] }],
  ["memory/store/req", { entries: [CONDITIONAL, STALE] }],
  ["memory/store/req", { entries: [STALE, { key: {}, content: 1 }, { key: "bad", content: 1, ttl: -1 }] }],
  [
    "memory/store/req",
    {
      id: "queued",
      ack: "queued",
      namespace: "later",
      entries: [{ key: "q", content: "later", tier: "episodic" }],
    },
  ],
  ["memory/status/req", { request_id: "all" }],
  ["memory/status/req", { request_id: "of a neighbour" }],
  ["memory/store/req", { entries: entriesFor("episodic") }],
  [
    "memory/store/req",
    { entries: [{ key: { tier: "episodic", n: 0 }, content: "rewritten", tier: "episodic" }] },
  ],
  ["memory/forget/req", { tags: ["even"], dry_run: true }],
  ["memory/forget/req", { id: "forget", tags: ["even"] }],
  ["memory/forget/req", { id: "forget", tags: ["even"] }],
  ["memory/forget/req", { tier: "semantic" }],
  ["memory/retrieve/req", { query: "year" }],
  ["memory/retrieve/req", { limit: 100 }],
  ["memory/forget/req", { tier: "episodic" }],
  ["memory/retrieve/req", { limit: 100 }],
];

/**
 * Concurrent requests of a neighbour: the same keys with the same request ids, and the same words many times.
 */
export function neighbourSteps(step: number, tiers: readonly string[]): Step[] {
  const [, fields] = STEPS[step]!;
  const entries = tiers.flatMap((tier) => [
    ...entriesFor(tier).map((entry) => ({
      ...entry,
      content: { text: `${step} year moon tides tea zebra` },
    })),
    ...TEXTS.map((text, n) => ({
      key: { step, n, tier },
      content: text.repeat(1 + (step % 3)),
      tier,
      tags: ["even"],
    })),
    { key: "once", content: `not yours ${step}`, tier },
  ]);
  return [
    ["memory/store/req", { id: fields.id ?? `step-${step}`, entries }],
    ["memory/store/req", { id: "of a neighbour", entries }],
    ["memory/retrieve/req", { query: "year moon", limit: 50 }],
    ["memory/forget/req", { tags: ["odd"], tier: tiers[step % tiers.length] }],
  ];
}
