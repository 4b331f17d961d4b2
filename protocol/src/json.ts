import { LIMITS } from "./limits.js";
import { MemoryError } from "./memory-error.js";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

type Path = readonly (string | number)[];

const SHOWN_LENGTH_MAX = 64;

/** A name of the caller's as an error shows it: cut, so that no error is too large to be answered. */
export function shownName(name: string): string {
  return name.length <= SHOWN_LENGTH_MAX ? name : `${name.slice(0, SHOWN_LENGTH_MAX).toWellFormed()}…`;
}

/** A path as error details show it: `entries[0].key`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? shownName(part) : `${text}.${shownName(part)}`;
  }, "");
}

function refuse(path: Path, why: string): never {
  const where = formatPath(path);
  throw new MemoryError("schema_violation", `${where || "message"} ${why}`, { path: where });
}

export function refuseOverLimit(limit: string, max: number, got: number, path: Path = []): never {
  const where = path.length === 0 ? {} : { path: formatPath(path) };
  throw new MemoryError("too_large", `${limit} is at most ${max}, got ${got}`, { limit, max, got, ...where });
}

/** Refuses a message with too many objects and lists: each takes a hundred times what it takes on the wire. */
export function checkNestedCount(got: number, max: number): void {
  if (got > max) refuseOverLimit("nestedValues", max, got);
}

/**
 * Refuses what one of the two encodings cannot carry (clauses ENV-VALUE-1 to ENV-VALUE-6), and what passes a bound of
 * depth or count. Binary is allowed where an embedding belongs, and becomes a Float32Array there, in place.
 * @param nestedMax objects and lists in all
 * @returns whether there are numbers of integral value beyond ±(2^53 - 1): a double is carried, an integer is not, and
 *   only what the value was read from can tell (`refuseGreatIntegers`).
 * @throws {MemoryError} `schema_violation` with the path, or `too_large`.
 */
export function guardJson(value: unknown, nestedMax = Number.POSITIVE_INFINITY): boolean {
  const walk = new Walk(nestedMax);
  guardValue(value, walk);
  return walk.hasGreatNumbers;
}

/**
 * Refuses a value that was read so that integers beyond ±(2^53 - 1) are infinities or bigints in it (clause ENV-VALUE-3).
 * @throws {MemoryError} `schema_violation` with the path.
 */
export function refuseGreatIntegers(value: unknown, path: Path = []): void {
  if (typeof value === "object" && value !== null) {
    if (ArrayBuffer.isView(value)) return;
    const isList = Array.isArray(value);
    for (const [name, inner] of Object.entries(value)) {
      refuseGreatIntegers(inner, [...path, isList ? Number(name) : name]);
    }
  }
  const isInfinite = typeof value === "number" && !Number.isFinite(value);
  if (isInfinite || (typeof value === "bigint" && !Number.isSafeInteger(Number(value)))) {
    refuse(path, "is an integer beyond ±(2^53 - 1)");
  }
}

/** Where a look at a message is, and what it has seen. */
class Walk {
  readonly path: (string | number)[] = [];
  nestedCount = 0;
  hasGreatNumbers = false;

  constructor(readonly nestedMax: number) {}
}

function guardValue(value: unknown, walk: Walk): void {
  const { path } = walk;
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) refuse(path, "holds a lone surrogate");
      return;
    case "number":
      if (!Number.isFinite(value)) refuse(path, "is not a finite number");
      if (isGreat(value)) walk.hasGreatNumbers = true;
      return;
    case "boolean":
      return;
    case "object":
      return value === null ? undefined : guardNested(value, walk);
    default:
      refuse(path, `is a ${typeof value}, which no message can carry`);
  }
}

/** Of integral value, and beyond ±(2^53 - 1). */
function isGreat(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function guardNested(value: object, walk: Walk): void {
  const { path } = walk;
  checkNestedCount(++walk.nestedCount, walk.nestedMax);
  if (path.length > LIMITS.depth) refuseOverLimit("depth", LIMITS.depth, path.length);
  if (Array.isArray(value)) return guardList(value, walk);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuse(path, "is not a plain JSON value");
  guardFields(value as Record<string, unknown>, walk);
}

function guardList(list: unknown[], walk: Walk): void {
  for (let index = 0; index < list.length; index++) {
    walk.path.push(index);
    guardValue(list[index], walk);
    walk.path.pop();
  }
}

function guardFields(object: Record<string, unknown>, walk: Walk): void {
  const { path } = walk;
  let count = 0;
  for (const name of Object.keys(object)) {
    if (++count > LIMITS.objectFields) refuseOverLimit("objectFields", LIMITS.objectFields, count, path);
    if (name === "__proto__") refuse(path, "has a field named __proto__");
    if (!name.isWellFormed()) refuse(path, "has a field name with a lone surrogate");
    const value = object[name];
    path.push(name);
    if (ArrayBuffer.isView(value)) {
      const vector = guardVector(value, path);
      if (vector !== value) object[name] = vector;
    } else guardValue(value, walk);
    path.pop();
  }
}

/** Binary is allowed as `embedding` of the message or of one of its entries, and nowhere else. */
function guardVector(value: ArrayBufferView, path: Path): Float32Array {
  const expected = path.length === 1 || (path.length === 3 && path[0] === "entries");
  if (path.at(-1) !== "embedding" || !expected) refuse(path, "is binary, which only an embedding may be");
  const vector = value instanceof Float32Array ? value : float32From(value, path);
  for (const component of vector) {
    if (!Number.isFinite(component)) refuse(path, "is not a finite number");
    if (isGreat(component)) refuse(path, "is beyond ±(2^53 - 1)");
  }
  return vector;
}

function float32From(value: ArrayBufferView, path: Path): Float32Array {
  if (value.byteLength % 4 !== 0) refuse(path, "is not a list of little-endian float32");
  return new Float32Array(
    value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength) as ArrayBuffer,
  );
}
