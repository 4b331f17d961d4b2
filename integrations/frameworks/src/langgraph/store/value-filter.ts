import { didYouMean, type Filter, isJsonObject, type Json, type MetadataValue } from "@membus/protocol";

/** Conditions on top-level fields of a value: a plain value, or an object with operators. */
export type ValueFilter = Readonly<Record<string, unknown>>;

/**
 * Operators that compare like LangGraph's own stores: only numbers are ordered, and other values are
 * converted to numbers.
 */
const OPERATORS = {
  $eq: (actual: unknown, value: unknown) => actual === value,
  $ne: (actual: unknown, value: unknown) => actual !== value,
  $gt: (actual: unknown, value: unknown) => Number(actual) > Number(value),
  $gte: (actual: unknown, value: unknown) => Number(actual) >= Number(value),
  $lt: (actual: unknown, value: unknown) => Number(actual) < Number(value),
  $lte: (actual: unknown, value: unknown) => Number(actual) <= Number(value),
  $in: (actual: unknown, value: unknown) => Array.isArray(value) && value.includes(actual),
  $nin: (actual: unknown, value: unknown) => !(Array.isArray(value) && value.includes(actual)),
};
type Operator = keyof typeof OPERATORS;
const NAMES = Object.keys(OPERATORS);

/** Maximum fields of a value in the metadata of its entry, which the host filters by. */
const FILTER_FIELDS_MAX = 64;
const MIRROR_LENGTH_MAX = 256;
const MIRROR_NAME = /^[A-Za-z0-9_-]{1,56}$/;
const MIRROR_PREFIX = "value_";
/** Metadata field of a value with more fields than that. */
const TOO_MANY_FIELDS = "many_fields";
/** Maximum fields in a filter for the host. A filter has at most 64 nodes. */
const HOST_FIELDS_MAX = 16;

/** @throws {TypeError} for an unknown operator, which would silently match nothing. */
export function checkFilter(filter: ValueFilter): void {
  for (const [field, wanted] of Object.entries(filter)) {
    const operators = isJsonObject(wanted) ? Object.keys(wanted) : [];
    const named = operators.some((name) => name.startsWith("$")) ? operators : [];
    const unknown = [field]
      .filter((name) => name.startsWith("$"))
      .concat(named.filter((name) => !NAMES.includes(name)));
    if (unknown[0] === undefined) continue;
    const hint = didYouMean(unknown[0], NAMES) || `: fields may have ${NAMES.join(", ")}`;
    throw new TypeError(`filter has an unknown operator \`${unknown[0]}\`${hint}`);
  }
}

/** Returns whether a value meets a filter. An object without operators or a list equals nothing. */
export function matchesFilter(value: Json, filter: ValueFilter): boolean {
  return Object.entries(filter).every(([field, wanted]) => {
    const actual = isJsonObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
    if (typeof wanted !== "object" || wanted === null) return actual === wanted;
    const operators = Object.entries(wanted);
    if (!operators.every(([name]) => NAMES.includes(name))) return false;
    return operators.every(([name, operand]) => OPERATORS[name as Operator](actual, operand));
  });
}

/**
 * Returns the part of a filter that the host can evaluate. Its results include every item that `matchesFilter`
 * accepts.
 */
export function hostFilters(filter: ValueFilter): Filter[] {
  const asked = Object.entries(filter).filter(([field, wanted]) => isMirrored(field, wanted));
  return asked.slice(0, HOST_FIELDS_MAX).map(([field, wanted]) => ({
    any: [
      { field: `metadata.${MIRROR_PREFIX}${field}`, op: "eq", value: wanted as string | number | boolean },
      { field: `metadata.${TOO_MANY_FIELDS}`, op: "exists", value: true },
    ],
  }));
}

/** Returns the metadata that these filters are evaluated on. */
export function filterMetadata(value: Json): Record<string, MetadataValue> {
  const fields = isJsonObject(value)
    ? Object.entries(value).filter(([name, field]) => isMirrored(name, field))
    : [];
  if (fields.length > FILTER_FIELDS_MAX) return { [TOO_MANY_FIELDS]: true };
  return Object.fromEntries(fields.map(([name, field]) => [MIRROR_PREFIX + name, field as MetadataValue]));
}

function isMirrored(name: string, value: unknown): boolean {
  if (!MIRROR_NAME.test(name)) return false;
  if (typeof value === "string") return value.length <= MIRROR_LENGTH_MAX && value.isWellFormed();
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}
