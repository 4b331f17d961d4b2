import {
  FILTER_OPERATORS,
  type Filter,
  type FilterableEntry,
  type FilterLeaf,
  type FilterOperator,
  fieldValue,
  type Json,
} from "@membus/protocol";
import type { EntryInput } from "./memory-agent.js";
import type { Random } from "./random.js";

type Scalar = string | number | boolean;

const STRINGS = [
  "a",
  "A",
  "b",
  "ab",
  "ba",
  "abc",
  "1",
  "10",
  "9",
  "true",
  "é",
  "\uff5e",
  "\u{1f600}",
  "a%",
  "a_",
  "a,b",
];
const NUMBERS = [0, 1, -1, 0.25, 0.5, 0.75, 1.5, 9, 10, 100];
const FIELDS = [
  ...["m1", "m2", "m3", "m1", "m2", "m3", "none", "toString"].map((name) => `metadata.${name}`),
  ...["id", "k", "k", "a.b", "none"].map((name) => `key.${name}`),
  ...["tags", "source", "author", "group", "importance", "created", "updated", "occurred_at", "expires_at"],
];

/** Entries that have, and lack, fields of every kind of value; their keys have the field `id`. */
export function generateEntries(random: Random, count: number): Partial<EntryInput>[] {
  return Array.from({ length: count }, (_, id) => {
    const metadata = someOf({ m1: anyValue(random), m2: anyValue(random), m3: anyValue(random) }, random);
    return {
      key: { id, ...someOf({ k: anyJson(random), "a.b": anyScalar(random), a: { b: 1 } }, random) },
      ...(random.next() < 0.8 && { metadata: metadata as NonNullable<EntryInput["metadata"]> }),
      tags: stringList(random),
      source: pick(random, STRINGS),
      ...(random.next() < 0.6 && { group: pick(random, STRINGS) }),
      importance: pick(random, [0, 0.25, 0.5, 0.75, 1]),
      occurred_at: pick(random, [0, 0.25, 1, 1.5, 10, 100]),
    };
  });
}

/** A leaf whose value is often one that an entry has in its field, so that it holds for some. */
export function generateLeaf(
  random: Random,
  entries: readonly FilterableEntry[],
  op: FilterOperator = pick(random, FILTER_OPERATORS),
): FilterLeaf {
  const field = pick(random, FIELDS);
  return { field, op, value: operand(random, op, () => likelyValue(random, entries, field)) };
}

/** A tree of up to `levels` levels below its leaves. */
export function generateTree(random: Random, entries: readonly FilterableEntry[], levels: number): Filter {
  if (levels === 0 || random.next() < 0.2) return generateLeaf(random, entries);
  const children = () =>
    Array.from({ length: random.integer(1, 3) }, () => generateTree(random, entries, levels - 1));
  const kind = random.integer(0, 2);
  if (kind === 0) return { all: children() };
  return kind === 1 ? { any: children() } : { not: generateTree(random, entries, levels - 1) };
}

function operand(random: Random, op: FilterOperator, value: () => Scalar): Json {
  if (op === "exists") return random.next() < 0.5;
  if (op === "in" || op === "nin") return Array.from({ length: random.integer(1, 4) }, value);
  if (op !== "contains" && op !== "starts_with") return value();
  const text = String(value());
  const from = random.next() < 0.3 ? 1 : 0;
  return text.slice(from, random.next() < 0.5 ? undefined : 1 + from).toWellFormed();
}

function likelyValue(random: Random, entries: readonly FilterableEntry[], field: string): Scalar {
  const value = fieldValue(pick(random, entries), field);
  const one = Array.isArray(value) ? value[0] : value;
  const isScalar = ["string", "number", "boolean"].includes(typeof one);
  if (!isScalar || random.next() < 0.2) return anyScalar(random);
  return random.next() < 0.6 ? (one as Scalar) : nearMiss(random, one as Scalar);
}

/** What careless code takes for the same: another type, another case. */
function nearMiss(random: Random, value: Scalar): Scalar {
  if (typeof value === "boolean") return pick(random, [Number(value), String(value), !value]);
  if (typeof value === "number") return pick(random, [String(value), value + 1, value === 1]);
  const isNumber = value.trim() !== "" && Number.isFinite(Number(value));
  return pick(random, [isNumber ? Number(value) : value.toUpperCase(), value.toLowerCase(), `${value}a`]);
}

function anyScalar(random: Random): Scalar {
  const kind = random.integer(0, 4);
  if (kind === 0) return random.next() < 0.5;
  return kind < 3 ? pick(random, STRINGS) : pick(random, NUMBERS);
}

function anyValue(random: Random): Scalar | string[] {
  return random.next() < 0.3 ? stringList(random) : anyScalar(random);
}

function anyJson(random: Random): Json {
  const nested: Json[] = [null, { a: 1, b: "a" }, [1, "a", ["b"]], [], {}, ["a", "b"], [true, 10]];
  return random.next() < 0.4 ? pick(random, nested) : anyScalar(random);
}

function stringList(random: Random): string[] {
  return random.shuffle(STRINGS).slice(0, random.integer(0, 3));
}

function someOf<Fields extends object>(fields: Fields, random: Random): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(() => random.next() < 0.7)) as Partial<Fields>;
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.integer(0, items.length - 1)]!;
}
