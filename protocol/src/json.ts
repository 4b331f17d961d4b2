import { LIMITS } from "./limits.js";
import { MemoryError } from "./memory-error.js";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

type Path = readonly (string | number)[];

const NAME_LENGTH_MAX = 64;

/** Truncates a name from a request for error messages, so that the error reply stays small. */
export function truncateName(name: string): string {
  return name.length <= NAME_LENGTH_MAX ? name : `${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}…`;
}

/** Formats a path for error details: `entries[0].key`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? truncateName(part) : `${text}.${truncateName(part)}`;
  }, "");
}

function throwViolation(path: Path, why: string): never {
  const where = formatPath(path);
  throw new MemoryError("schema_violation", `${where || "message"} ${why}`, { path: where });
}

export function throwOverLimit(limit: string, max: number, got: number, path: Path = []): never {
  const where = path.length === 0 ? {} : { path: formatPath(path) };
  throw new MemoryError("too_large", `${limit} is at most ${max}, got ${got}`, { limit, max, got, ...where });
}

/**
 * Rejects a message with too many objects and lists. In memory each takes about 100 times its size on the
 * wire.
 */
export function checkNestedCount(got: number, max: number): void {
  if (got > max) throwOverLimit("nestedValues", max, got);
}

/**
 * Rejects values that an encoding cannot carry (clauses ENV-VALUE-1 to ENV-VALUE-6), and values over a depth
 * or count limit. Binary embeddings become a Float32Array in place.
 *
 * @param nestedMax maximum number of objects and lists
 * @returns whether there are numbers with an integral value beyond ±(2^53 - 1). Doubles are allowed, integers
 * are not. Only the source text shows the difference (`rejectUnsafeIntegers`).
 * @throws {MemoryError} `schema_violation` with the path, or `too_large`.
 */
export function validateJson(value: unknown, nestedMax = Number.POSITIVE_INFINITY): boolean {
  const walk = new Traversal(nestedMax);
  validateValue(value, walk);
  return walk.hasUnsafeIntegers;
}

/**
 * Rejects integers beyond ±(2^53 - 1), which must be infinities or bigints in `value` (clause ENV-VALUE-3).
 *
 * @throws {MemoryError} `schema_violation` with the path.
 */
export function rejectUnsafeIntegers(value: unknown, path: Path = []): void {
  if (typeof value === "object" && value !== null) {
    if (ArrayBuffer.isView(value)) return;
    const isList = Array.isArray(value);
    for (const [name, inner] of Object.entries(value)) {
      rejectUnsafeIntegers(inner, [...path, isList ? Number(name) : name]);
    }
  }
  const isInfinite = typeof value === "number" && !Number.isFinite(value);
  if (isInfinite || (typeof value === "bigint" && !Number.isSafeInteger(Number(value)))) {
    throwViolation(path, "is an integer beyond ±(2^53 - 1)");
  }
}

/** State of a traversal: the current path and the findings so far. */
class Traversal {
  readonly path: (string | number)[] = [];
  nestedCount = 0;
  hasUnsafeIntegers = false;

  constructor(readonly nestedMax: number) {}
}

function validateValue(value: unknown, walk: Traversal): void {
  const { path } = walk;
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) throwViolation(path, "contains a lone surrogate");
      return;
    case "number":
      if (!Number.isFinite(value)) throwViolation(path, "must be a finite number");
      if (isUnsafeInteger(value)) walk.hasUnsafeIntegers = true;
      return;
    case "boolean":
      return;
    case "object":
      return value === null ? undefined : validateNested(value, walk);
    default:
      throwViolation(path, `has type ${typeof value}, which a message cannot carry`);
  }
}

/** Returns true for an integral value beyond ±(2^53 - 1). */
function isUnsafeInteger(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function validateNested(value: object, walk: Traversal): void {
  const { path } = walk;
  checkNestedCount(++walk.nestedCount, walk.nestedMax);
  if (path.length > LIMITS.depth) throwOverLimit("depth", LIMITS.depth, path.length);
  if (Array.isArray(value)) return validateList(value, walk);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throwViolation(path, "must be a plain JSON value");
  validateFields(value as Record<string, unknown>, walk);
}

function validateList(list: unknown[], walk: Traversal): void {
  for (let index = 0; index < list.length; index++) {
    walk.path.push(index);
    validateValue(list[index], walk);
    walk.path.pop();
  }
}

function validateFields(object: Record<string, unknown>, walk: Traversal): void {
  const { path } = walk;
  let count = 0;
  for (const name of Object.keys(object)) {
    if (++count > LIMITS.objectFields) throwOverLimit("objectFields", LIMITS.objectFields, count, path);
    if (name === "__proto__") throwViolation(path, "has a field named __proto__");
    if (!name.isWellFormed()) throwViolation(path, "has a field name with a lone surrogate");
    const value = object[name];
    path.push(name);
    if (ArrayBuffer.isView(value)) {
      const vector = toVector(value, path);
      if (vector !== value) object[name] = vector;
    } else validateValue(value, walk);
    path.pop();
  }
}

/** Converts binary to a vector. Only `embedding` of the message or of one of its entries may be binary. */
function toVector(value: ArrayBufferView, path: Path): Float32Array {
  const expected = path.length === 1 || (path.length === 3 && path[0] === "entries");
  if (path.at(-1) !== "embedding" || !expected)
    throwViolation(path, "must not be binary, only an embedding may be");
  const vector = value instanceof Float32Array ? value : toFloat32Array(value, path);
  for (const component of vector) {
    if (!Number.isFinite(component)) throwViolation(path, "must contain finite numbers only");
    if (isUnsafeInteger(component)) throwViolation(path, "contains a number beyond ±(2^53 - 1)");
  }
  return vector;
}

function toFloat32Array(value: ArrayBufferView, path: Path): Float32Array {
  if (value.byteLength % 4 !== 0) throwViolation(path, "must be a list of little-endian float32");
  return new Float32Array(
    value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength) as ArrayBuffer,
  );
}
