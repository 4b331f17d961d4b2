import type { Criteria } from "@membus/protocol";
import fc from "fast-check";

/** Fields of a generated store. Each has few values, so that criteria match several entries. */
export interface StoredFields {
  readonly content: string | number | null | Readonly<Record<string, number>>;
  readonly tags?: string[];
  readonly group?: string | null;
  readonly importance?: number | null;
  readonly metadata?: Record<string, string | number> | null;
}

export type Condition = "none" | "absent" | "current" | "outdated";

export type ModelOperation =
  | {
      readonly kind: "store";
      readonly key: number;
      readonly fields: StoredFields;
      readonly condition: Condition;
    }
  | {
      readonly kind: "retrieve";
      readonly criteria: Criteria;
      readonly order: "newest" | "oldest";
      readonly limit: number;
    }
  | { readonly kind: "forget"; readonly criteria: Criteria; readonly dryRun: boolean };

const KEY_COUNT = 6;
const TAGS = ["red", "green", "blue"];
const GROUPS = ["north", "south"];

/** Returns the key of an entry by its number: two fields, one shared with other entries. */
export function modelKey(number: number): { number: number; parity: string } {
  return { number, parity: number % 2 === 0 ? "even" : "odd" };
}

const keyNumber = fc.integer({ min: 1, max: KEY_COUNT });
const someTags = fc.subarray(TAGS, { minLength: 1 });
const rank = fc.integer({ min: 0, max: 3 });
const metadata = fc.record({ rank, colour: fc.constantFrom("red", "blue") }, { requiredKeys: [] });
const step = fc.integer({ min: 0, max: 1 });

const storedFields: fc.Arbitrary<StoredFields> = fc.record(
  {
    content: fc.oneof(fc.constantFrom("a", "b", null), rank, fc.record({ step })),
    tags: fc.subarray(TAGS),
    group: fc.option(fc.constantFrom(...GROUPS)),
    importance: fc.option(fc.constantFrom(0, 0.5, 1)),
    metadata: fc.option(metadata),
  },
  { requiredKeys: ["content"] },
);

const where = fc.oneof(
  fc.record({ field: fc.constant("metadata.rank"), op: fc.constantFrom("gte", "lt", "ne"), value: rank }),
  fc.record({ field: fc.constant("metadata.colour"), op: fc.constant("eq"), value: fc.constant("red") }),
  fc.record({ field: fc.constant("metadata.colour"), op: fc.constant("nin"), value: fc.constant(["red"]) }),
  fc.record({
    field: fc.constantFrom("group", "metadata.rank"),
    op: fc.constant("exists"),
    value: fc.boolean(),
  }),
);

const criteria = fc.oneof(
  fc.record({ keys: fc.array(keyNumber.map(modelKey), { minLength: 1, maxLength: 3 }) }),
  fc.record({ tags: someTags, tags_mode: fc.constantFrom("any", "all") }),
  fc.record({ group: fc.constantFrom(...GROUPS) }),
  fc.record({ match: fc.constantFrom({ parity: "even" }, { parity: "odd" }, { number: 2, parity: "even" }) }),
  fc.record({ where }),
  fc.record({ where: fc.record({ not: where }), tags: someTags }),
) as fc.Arbitrary<Criteria>;

const store = fc.record({
  kind: fc.constant("store" as const),
  key: keyNumber,
  fields: storedFields,
  condition: fc.constantFrom<Condition[]>("none", "none", "none", "absent", "current", "outdated"),
});

const retrieve = fc.record({
  kind: fc.constant("retrieve" as const),
  criteria: fc.oneof(criteria, fc.constant({} as Criteria)),
  order: fc.constantFrom("newest" as const, "oldest" as const),
  limit: fc.constantFrom(0, 2, 10),
});

const forget = fc.record({
  kind: fc.constant("forget" as const),
  criteria,
  dryRun: fc.constantFrom(false, false, true),
});

/** Generated sequence of operations of one agent, with more stores than forgets. */
export const operations: fc.Arbitrary<ModelOperation[]> = fc.array(
  fc.oneof(
    { arbitrary: store, weight: 5 },
    { arbitrary: retrieve, weight: 3 },
    { arbitrary: forget, weight: 1 },
  ),
  { minLength: 1, maxLength: 25, size: "max" },
);
