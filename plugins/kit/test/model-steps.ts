import { type Filter, type FilterOperator, type Json, keyHash } from "@membus/protocol";
import fc from "fast-check";
import type { TestStoreEntry } from "./kit-requests.js";

const WORDS = [
  ..."river stone garden winter market letter engine silver forest window".split(" "),
  ...["when", "yesterday", "2023-11-14", "November 2023"],
];
const TAGS = ["red", "blue", "urgent"];
const NAMES = ["alpha", "beta", "alphabet"];

export const KEYS: readonly Record<string, Json>[] = [
  { id: "k0" },
  { id: "k1" },
  { id: "k2", kind: "note" },
  { name: "user_name" },
  { a: 1, b: { c: [1, "x"] } },
  { b: { c: [1, "x"] }, a: 1 },
  { list: ["x", "y"], n: 7 },
];
const NAMESPACES = ["default", "a", "a/b", "a/c", "ab"];
const PATTERNS = [...NAMESPACES, "a/**", "default/**"];

export interface Place {
  readonly tenant: string;
  readonly agent: string;
  readonly namespace: string;
}

export type ConditionKind = "none" | "current" | "absent" | "stale";

export interface StoreEntryStep {
  readonly entry: TestStoreEntry;
  readonly condition: ConditionKind;
}

export interface SearchStep {
  readonly criteria: object;
  readonly query?: string;
  readonly mode: "hybrid" | "vector" | "text";
  readonly order?: "newest" | "oldest" | "relevance";
  readonly minScore: number;
  readonly pageSize: number;
  readonly include: readonly ("context" | "embedding")[];
}

export type Step =
  | {
      readonly do: "store";
      readonly place: Place;
      readonly entries: readonly StoreEntryStep[];
      readonly ack: "stored" | "queued";
    }
  | ({ readonly do: "retrieve"; readonly place: Place } & SearchStep)
  | {
      readonly do: "list";
      readonly place: Place;
      readonly criteria: object;
      readonly field: string | undefined;
    }
  | { readonly do: "forget"; readonly place: Place; readonly criteria: object; readonly dryRun: boolean }
  | { readonly do: "retry"; readonly part: number; readonly otherBody: boolean }
  | { readonly do: "advance"; readonly seconds: number }
  | { readonly do: "crash"; readonly writes: number }
  | { readonly do: "flush" | "maintain" | "reopen" | "evict" };

const words = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 })
  .map((list) => list.join(" "));

const content: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: words },
  { weight: 2, arbitrary: words.map((text) => ({ text })) },
  { weight: 2, arbitrary: words.map((text) => ({ nested: { text: [text, 3] }, flag: true })) },
  { weight: 1, arbitrary: fc.constantFrom<Json>(null, 1, 2, "", [1, { b: 2, a: 1 }], { a: 1, b: 2 }) },
);

const metadata = fc.record(
  {
    color: fc.constantFrom(...TAGS),
    n: fc.constantFrom(1, 2, 2.5),
    flag: fc.boolean(),
    list: fc.subarray([...NAMES]),
    name: fc.constantFrom(...NAMES),
  },
  { requiredKeys: [] },
);

/** Absent, null or a value. */
function optional<T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: values },
  );
}

const vector = fc
  .constantFrom(0, 1, 2)
  .map((at) => Float32Array.from({ length: 8 }, (_, i) => Number(i === at)));

export const storeEntry: fc.Arbitrary<TestStoreEntry> = fc
  .record({
    key: fc.constantFrom(...KEYS),
    content,
    tags: optional(fc.subarray([...TAGS])),
    source: optional(fc.constantFrom("sensor", "alice")),
    score: optional(fc.constantFrom(0, 0.25, 1)),
    ttl: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.constantFrom(null, 5, 90)),
    metadata: optional(metadata),
    text: optional(words),
    context: optional(words),
    group: optional(fc.constantFrom("g1", "g2")),
    occurred_at: optional(fc.constantFrom(1_700_000_000, 1_700_000_000.5, 1_750_000_000)),
    importance: optional(fc.constantFrom(0, 0.5, 1)),
    embedding: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, fc.constant(null), vector),
  })
  .map((fields) => {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given) as unknown as TestStoreEntry;
  });

const place: fc.Arbitrary<Place> = fc.record({
  tenant: fc.constantFrom("acme", "acme", "globex"),
  agent: fc.constantFrom("alice", "alice", "bob"),
  namespace: fc.constantFrom(...NAMESPACES),
});

const searchPlace: fc.Arbitrary<Place> = fc.record({
  tenant: fc.constantFrom("acme", "acme", "globex"),
  agent: fc.constantFrom("alice", "alice", "bob"),
  namespace: fc.constantFrom(...PATTERNS),
});

const listPlace: fc.Arbitrary<Place> = fc.oneof(
  searchPlace,
  searchPlace.map((found) => ({ ...found, namespace: "**" })),
);

/** Listed fields. undefined: namespaces. */
export const LISTED = [
  ...[undefined, "tags", "group", "author", "source", "metadata.color", "metadata.n", "metadata.flag"],
  ...["metadata.list", "metadata.missing", "key.id", "key.a", "key.b", "key.list", "key.n"],
];

const FIELD_VALUES: Readonly<Record<string, readonly (string | number | boolean)[]>> = {
  tags: TAGS,
  source: ["sensor", "alice", "bob"],
  author: ["alice", "bob"],
  group: ["g1", "g2", "g"],
  importance: [0, 0.5, 1],
  occurred_at: [1_700_000_000, 1_700_000_000.5, 1_800_000_000],
  created: [1_800_000_000, 1_800_000_100],
  updated: [1_800_000_000, 1_800_000_100],
  expires_at: [1_800_000_005, 1_800_000_100],
  "metadata.color": [...TAGS, 1],
  "metadata.n": [1, 2, 2.5, "2"],
  "metadata.flag": [true, false],
  "metadata.list": NAMES,
  "metadata.name": ["alpha", "alp", "bet"],
  "metadata.missing": ["x"],
  "key.id": ["k0", "k", 1],
  "key.a": [1, "1"],
  "key.b": ["x"],
  "key.list": ["x", "z"],
  "key.name": ["user_name", "user"],
};
const ORDER_OPERATORS: readonly FilterOperator[] = ["gt", "gte", "lt", "lte"];
const SCALAR_OPERATORS: readonly FilterOperator[] = [
  "eq",
  "ne",
  "contains",
  "starts_with",
  ...ORDER_OPERATORS,
];

const leaf: fc.Arbitrary<Filter> = fc.constantFrom(...Object.keys(FIELD_VALUES)).chain((field) => {
  const value = fc.constantFrom<Json>(...FIELD_VALUES[field]!, "zzz");
  return fc.oneof(
    fc.record({ field: fc.constant(field), op: fc.constantFrom(...SCALAR_OPERATORS), value }),
    fc.record({
      field: fc.constant(field),
      op: fc.constantFrom<FilterOperator>("in", "nin"),
      value: fc.array(value, { maxLength: 3 }),
    }),
    fc.record({
      field: fc.constant(field),
      op: fc.constant<FilterOperator>("exists"),
      value: fc.boolean() as fc.Arbitrary<Json>,
    }),
  );
});

/** `where` trees of up to three levels. */
export const whereTree: fc.Arbitrary<Filter> = fc.letrec<{ node: Filter }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(tie("node"), { minLength: 1, maxLength: 3 }).map((all) => ({ all })) },
    { weight: 1, arbitrary: fc.array(tie("node"), { minLength: 1, maxLength: 3 }).map((any) => ({ any })) },
    { weight: 1, arbitrary: tie("node").map((not) => ({ not })) },
  ),
})).node;

/** One criterion, two combined, or none. */
const criterion: fc.Arbitrary<object> = fc.oneof(
  fc.constant({}),
  fc.subarray([...KEYS], { minLength: 1 }).map((keys) => ({ keys })),
  fc
    .constantFrom<object>({ id: "k0" }, { b: { c: [1, "x"] } }, { list: ["x", "y"] }, { list: "x" })
    .map((match) => ({ match })),
  fc.record({ tags: fc.subarray([...TAGS], { minLength: 1 }), tags_mode: fc.constantFrom("any", "all") }),
  fc.constantFrom("g1", "g2").map((group) => ({ group })),
  fc.constantFrom(1_700_000_000.5, 1_800_000_000).map((since) => ({ since })),
  fc.constantFrom(1_700_000_000.5, 1_800_000_000).map((until) => ({ until })),
  whereTree.map((where) => ({ where })),
);
const criteria = fc.oneof(
  criterion,
  fc.tuple(criterion, criterion).map(([a, b]) => ({ ...a, ...b })),
);

const search: fc.Arbitrary<SearchStep> = fc
  .record({
    criteria,
    query: fc.oneof(fc.constant(undefined), words),
    mode: fc.constantFrom("hybrid", "hybrid", "vector", "text"),
    order: fc.constantFrom("newest", "oldest", undefined),
    minScore: fc.constantFrom(0, 0, 0, 0.3, 0.8),
    pageSize: fc.constantFrom(1, 2, 1000),
    include: fc.subarray(["context", "embedding"] as const),
  })
  .map(({ query, order, ...rest }) => ({
    ...rest,
    ...(query === undefined ? {} : { query }),
    ...(order === undefined ? {} : { order }),
  }));

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("store" as const),
      place,
      entries: fc.uniqueArray(
        fc.record({
          entry: storeEntry,
          condition: fc.constantFrom<ConditionKind>("none", "none", "none", "current", "absent", "stale"),
        }),
        { minLength: 1, maxLength: 4, selector: ({ entry }) => keyHash(entry.key) },
      ),
      ack: fc.constantFrom("stored", "stored", "queued"),
    }),
  },
  {
    weight: 10,
    arbitrary: fc
      .record({ do: fc.constant("retrieve" as const), place: searchPlace, search })
      .map(({ search: fields, ...rest }) => ({ ...rest, ...fields })),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("list" as const),
      place: listPlace,
      criteria,
      field: fc.constantFrom(...LISTED),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("forget" as const),
      place: searchPlace,
      criteria,
      dryRun: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("retry" as const),
      part: fc.double({ min: 0, max: 0.999, noNaN: true }),
      otherBody: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("advance" as const), seconds: fc.constantFrom(0.5, 6, 95) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("crash" as const), writes: fc.constantFrom(0, 1, 2, 3) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("flush" as const, "maintain" as const, "reopen" as const, "evict" as const),
    }),
  },
);
