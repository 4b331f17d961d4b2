import { encodeMessage, type Message } from "@membus/protocol";
import fc from "fast-check";
import { json, text } from "../../../protocol/test/arbitraries.js";

/** Returns mostly a valid value, and sometimes an invalid one. */
function mostly(right: readonly unknown[], ...wrong: unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 24, arbitrary: fc.constantFrom(...right) },
    { weight: 1, arbitrary: fc.constantFrom(...wrong) },
  );
}

/** Returns a request field: mostly absent or valid, and sometimes any value. */
function field(right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 200, arbitrary: fc.constant(undefined) },
    { weight: 97, arbitrary: right },
    { weight: 2, arbitrary: json },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(Number.NaN, 2 ** 60, -1, "\ud800", [[[]]], {}) },
  );
}

/** Few names and words, so that requests match entries of others. */
const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom("a", "b", "c", "tea", "user_name", "x' OR 1=1 --", "zoë") },
  { weight: 1, arbitrary: text },
);
const names = fc.array(name, { maxLength: 4 });
const key = fc.oneof(
  name,
  fc.record({ id: name, n: fc.nat(3) }),
  fc.constantFrom({}, { $hash: "0".repeat(64) }),
);
const tier = fc.constantFrom("working", "episodic", "semantic");
const fraction = mostly([0, 0.1, 0.5, 1], 1.5);
const time = mostly([0, 1_700_000_000, 1_700_000_000.5], 1e12);
const query = fc.array(name, { minLength: 1, maxLength: 5 }).map((words) => words.join(" "));
const vector = mostly(
  [new Float32Array(128).fill(0.1), Array(128).fill(0.1)],
  [1, 2],
  new Float32Array([Number.NaN]),
);
const model = mostly(["static-minilm-v1/128"], "another");

const leaf = fc.record({
  field: mostly(["tags", "group", "key.id", "metadata.m", "created", "occurred_at"], "unknown"),
  op: mostly(["eq", "ne", "gt", "lte", "contains", "starts_with"], "in", "exists", "like"),
  value: fc.oneof(name, time),
});
const where = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.record({ all: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie("tree") }),
  ),
})).tree;

const entry = fc.record({
  key: fc.oneof({ weight: 29, arbitrary: key }, { weight: 1, arbitrary: json }),
  content: fc.oneof(query, json),
  tier: field(tier),
  tags: field(names),
  source: field(name),
  score: field(fraction),
  ttl: field(mostly([0, 0.01, 60], -1)),
  expires_at: field(time),
  metadata: field(fc.dictionary(fc.constantFrom("m", "n"), fc.oneof(name, names, time), { maxKeys: 2 })),
  text: field(query),
  context: field(query),
  group: field(name),
  occurred_at: field(time),
  importance: field(fraction),
  embedding: field(vector),
  embedding_model: field(model),
  if_revision: field(fc.constantFrom(0, 1)),
});

const envelope = {
  id: field(fc.oneof(fc.uuid(), name)),
  version: field(mostly(["1.0", "1.7"], "2.0")),
  ts: field(time),
  session_id: field(name),
  namespace: field(mostly(["default", "a/b", "a", "user:alice"], "a/**", "/")),
  deadline_ms: field(mostly([50, 60_000], 1)),
  requires: field(mostly([["ttl"]], ["durable"], ["magic"])),
  x_own: field(json),
};
const criteria = {
  keys: field(fc.array(key, { maxLength: 3 })),
  match: field(fc.record({ id: name })),
  tags: field(names),
  tags_mode: field(fc.constantFrom("any", "all")),
  tier: field(tier),
  group: field(name),
  since: field(time),
  until: field(time),
  where: field(where),
};
const CURSORS = ["e30", Buffer.from('{"after":{}}').toString("base64url")];

const OPERATIONS: Readonly<Record<string, Record<string, fc.Arbitrary<unknown>>>> = {
  store: {
    ...envelope,
    entries: fc.array(entry, { minLength: 1, maxLength: 3 }),
    ack: field(fc.constant("queued")),
  },
  retrieve: {
    ...envelope,
    ...criteria,
    query: field(query),
    embedding: field(vector),
    embedding_model: field(model),
    order: field(mostly(["newest", "oldest"], "relevance", "best")),
    limit: field(fc.constantFrom(0, 1, 10, 1_000)),
    min_score: field(fraction),
    cursor: mostly([undefined], ...CURSORS),
    mode: field(fc.constantFrom("hybrid", "vector", "text")),
    include: field(fc.subarray(["context", "embedding"])),
  },
  forget: { ...envelope, ...criteria, dry_run: field(fc.boolean()), all: mostly([true], undefined, false) },
  status: { ...envelope, request_id: name, kind: field(fc.constantFrom("store", "other")) },
};

export interface StructuredRequest {
  /** `store`, `retrieve`, ... */
  readonly operation: string;
  readonly payload: Uint8Array;
}

/** Well-formed requests with mostly valid contents. */
export const structuredRequest: fc.Arbitrary<StructuredRequest> = fc.oneof(
  ...Object.entries(OPERATIONS).map(([operation, fields]) =>
    fc.tuple(fc.record(fields), fc.constantFrom("json", "msgpack")).map(([request, encoding]) => {
      const message = { type: `memory/${operation}/req`, ...request } as Message;
      return { operation, payload: encodeMessage(message, encoding as "json" | "msgpack") };
    }),
  ),
);
