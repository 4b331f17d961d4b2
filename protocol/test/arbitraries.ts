import fc from "fast-check";
import type { FilterableEntry, Json } from "../src/index.js";

/** Text of all planes, without lone surrogates. */
export const text = fc.string({ unit: "binary", maxLength: 12 }).filter((value) => value.isWellFormed());

const number = fc
  .oneof(
    fc.integer({ min: -1000, max: 1000 }),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: 2 ** 53, max: 1e22 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  )
  .map((value) => (Object.is(value, -0) ? 0 : value));

const name = text.filter((value) => value !== "__proto__");

/** Any value that both encodings can carry. */
export const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

export const key = fc.dictionary(
  name.filter((value) => value !== "" && !value.startsWith("$")),
  json,
  { minKeys: 1, maxKeys: 4, noNullPrototype: true },
);

const scalar = fc.oneof(fc.constantFrom<Json>("a", "ab", "b", "", 1, 2, 1.5, true, false), text);
const list = fc.array(fc.constantFrom("a", "ab", "b", ""), { maxLength: 3 });

/** Entries with a small set of values, so that values are often equal. */
export const filterableEntry: fc.Arbitrary<FilterableEntry> = fc.record({
  key: fc.dictionary(fc.constantFrom("id", "n"), fc.oneof(scalar, list as fc.Arbitrary<Json>), {
    maxKeys: 2,
  }),
  key_hash: fc.constant("0".repeat(64)),
  tags: list,
  source: fc.constantFrom("a", "b"),
  author: fc.constantFrom("a", "b"),
  group: fc.option(fc.constantFrom("a", "ab"), { nil: undefined }),
  importance: fc.constantFrom(0, 0.5, 1),
  occurred_at: fc.constantFrom(1, 2),
  expires_at: fc.option(fc.constantFrom(1, 2), { nil: undefined }),
  timestamps: fc.record({ created: fc.constantFrom(1, 2), updated: fc.constantFrom(1, 2) }),
  metadata: fc.dictionary(fc.constantFrom("a", "b"), fc.oneof(list, fc.constantFrom("a", "ab", 1, 2, true)), {
    maxKeys: 2,
  }),
});

export const field = fc.constantFrom(
  ...["metadata.a", "metadata.b", "key.id", "key.n", "tags", "source", "author", "group"],
  ...["importance", "created", "updated", "occurred_at", "expires_at"],
);

export const value = scalar;
