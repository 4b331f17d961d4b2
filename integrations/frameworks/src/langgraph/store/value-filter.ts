import { didYouMean, type Filter, isJsonObject, type Json, type MetadataValue } from "@membus/protocol";

/** Top-level fields of a value and what they must be: a plain value, or an object of operators. */
export type ValueFilter = Readonly<Record<string, unknown>>;

/** As LangGraph's own stores compare: orders between numbers alone, and what is no number counts as what it reads as. */
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

/** Of a value in the metadata of its entry, so that the host can leave out what a filter does not mean. */
const MIRROR_FIELDS_MAX = 64;
const MIRROR_LENGTH_MAX = 256;
const MIRROR_NAME = /^[A-Za-z0-9_-]{1,56}$/;
const MIRROR_PREFIX = "value_";
/** There where a value has more fields than are mirrored. */
const NOT_MIRRORED = "many_fields";
/** A tree has at most 64 nodes. */
const ASKED_FIELDS_MAX = 16;

/** @throws {TypeError} for an operator that there is not: it would match nothing, and nobody would know why. */
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

/** Whether all fields are what the filter wants. An object without operators, or a list, equals nothing. */
export function holds(value: Json, filter: ValueFilter): boolean {
  return Object.entries(filter).every(([field, wanted]) => {
    const actual = isJsonObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
    if (typeof wanted !== "object" || wanted === null) return actual === wanted;
    const operators = Object.entries(wanted);
    if (!operators.every(([name]) => NAMES.includes(name))) return false;
    return operators.every(([name, operand]) => OPERATORS[name as Operator](actual, operand));
  });
}

/** What of a filter the host can be asked; what `holds` refuses may be among what it gives, and nothing is missing. */
export function hostFilters(filter: ValueFilter): Filter[] {
  const asked = Object.entries(filter).filter(([field, wanted]) => isMirrored(field, wanted));
  return asked.slice(0, ASKED_FIELDS_MAX).map(([field, wanted]) => ({
    any: [
      { field: `metadata.${MIRROR_PREFIX}${field}`, op: "eq", value: wanted as string | number | boolean },
      { field: `metadata.${NOT_MIRRORED}`, op: "exists", value: true },
    ],
  }));
}

/** The metadata by which those filters find a value. */
export function mirrorOf(value: Json): Record<string, MetadataValue> {
  const fields = isJsonObject(value)
    ? Object.entries(value).filter(([name, field]) => isMirrored(name, field))
    : [];
  if (fields.length > MIRROR_FIELDS_MAX) return { [NOT_MIRRORED]: true };
  return Object.fromEntries(fields.map(([name, field]) => [MIRROR_PREFIX + name, field as MetadataValue]));
}

function isMirrored(name: string, value: unknown): boolean {
  if (!MIRROR_NAME.test(name)) return false;
  if (typeof value === "string") return value.length <= MIRROR_LENGTH_MAX && value.isWellFormed();
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}
