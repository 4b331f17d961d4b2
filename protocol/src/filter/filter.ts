import { canonicalJson, type MetadataValue } from "../entry/index.js";
import type { Json } from "../json.js";
import { hasSubstring } from "./substring.js";

export const FILTER_OPERATORS = [
  "eq",
  "ne",
  "in",
  "nin",
  "gt",
  "gte",
  "lt",
  "lte",
  "exists",
  "contains",
  "starts_with",
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

export interface FilterLeaf {
  readonly field: string;
  readonly op: FilterOperator;
  readonly value: Json;
}

/** Compiled criteria. Plugins see only this form. `{all: []}` matches every entry. */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | FilterLeaf;

/** Fields of an entry that a filter can read. A `MemoryEntry` has them. */
export interface FilterableEntry {
  readonly key: Readonly<Record<string, Json>>;
  readonly key_hash: string;
  readonly tags: readonly string[];
  readonly source: string;
  readonly author: string;
  readonly group?: string | undefined;
  readonly importance: number;
  readonly occurred_at: number;
  readonly expires_at?: number | undefined;
  readonly timestamps: { readonly created: number; readonly updated: number };
  readonly metadata?: Readonly<Record<string, MetadataValue>> | undefined;
  readonly sources?: readonly string[] | undefined;
}

/**
 * Returns whether `entry` matches `filter` (clauses CRIT-7 to CRIT-9). Defines the semantics of filters for
 * every plugin.
 */
export function matches(entry: FilterableEntry, filter: Filter): boolean {
  if ("all" in filter) return filter.all.every((child) => matches(entry, child));
  if ("any" in filter) return filter.any.some((child) => matches(entry, child));
  if ("not" in filter) return !matches(entry, filter.not);
  return matchesOperator(fieldValue(entry, filter.field), filter.op, filter.value);
}

/** Returns the value of a filter field, or undefined if the entry does not have it. */
export function fieldValue(entry: FilterableEntry, field: string): Json | undefined {
  if (field.startsWith("metadata.")) return ownProperty(entry.metadata, field.slice(9));
  if (field.startsWith("key.")) return ownProperty(entry.key, field.slice(4));
  if (field === "created" || field === "updated") return entry.timestamps[field];
  return entry[field as "key_hash" | "tags" | "sources" | "source" | "author" | "group" | "importance"] as
    | Json
    | undefined;
}

function ownProperty(object: Readonly<Record<string, Json>> | undefined, name: string): Json | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Applies one operator to one value. `undefined` is a missing field. */
export function matchesOperator(actual: Json | undefined, op: FilterOperator, expected: Json): boolean {
  if (op === "exists") return (actual !== undefined) === expected;
  if (op === "ne") return !matchesOperator(actual, "eq", expected);
  if (op === "nin") return !matchesOperator(actual, "in", expected);
  if (actual === undefined) return false;
  if (Array.isArray(actual) && matchesAnyElement(op)) {
    return (
      matchesScalar(actual, op, expected) || actual.some((element) => matchesScalar(element, op, expected))
    );
  }
  return matchesScalar(actual, op, expected);
}

/** Returns true for operators that match a list if they match one of its elements. */
function matchesAnyElement(op: FilterOperator): boolean {
  return op === "eq" || op === "in" || op === "contains" || op === "starts_with";
}

function matchesScalar(actual: Json, op: FilterOperator, expected: Json): boolean {
  switch (op) {
    case "eq":
      return equalJson(actual, expected);
    case "in":
      return isNested(actual)
        ? (expected as Json[]).some((value) => equalJson(actual, value))
        : valueSet(expected as Json[]).has(actual);
    case "contains":
      return typeof actual === "string" && typeof expected === "string" && hasSubstring(actual, expected);
    case "starts_with":
      return typeof actual === "string" && typeof expected === "string" && actual.startsWith(expected);
    default:
      return matchesOrder(actual, op, expected);
  }
}

function matchesOrder(actual: Json, op: FilterOperator, expected: Json): boolean {
  const numbers = typeof actual === "number" && typeof expected === "number";
  const strings = typeof actual === "string" && typeof expected === "string";
  if (!numbers && !strings) return false;
  if (op === "gt") return actual > expected;
  if (op === "gte") return actual >= expected;
  return op === "lt" ? actual < expected : actual <= expected;
}

/**
 * Cache of value sets by the list of an `in` operator. Without it, each list element is compared with each
 * value.
 */
const valueSets = new WeakMap<readonly Json[], ReadonlySet<Json>>();

function valueSet(list: readonly Json[]): ReadonlySet<Json> {
  let values = valueSets.get(list);
  if (values === undefined) {
    values = new Set(list);
    valueSets.set(list, values);
  }
  return values;
}

function equalJson(a: Json, b: Json): boolean {
  return a === b || (isNested(a) && isNested(b) && canonicalJson(a) === canonicalJson(b));
}

function isNested(value: Json): boolean {
  return typeof value === "object" && value !== null;
}
