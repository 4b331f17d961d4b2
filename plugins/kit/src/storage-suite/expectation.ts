import { isDeepStrictEqual } from "node:util";

const SHOWN_LENGTH = 600;

/** A rule of `Storage` that was violated. It has no stack, which would only show the suite. */
export class StorageSuiteError extends Error {
  override readonly name = "StorageSuiteError";

  constructor(what: string, expected: string, got: string) {
    super(`checked ${what}\n  expected  ${expected}\n  got       ${got}`);
    this.stack = this.message;
  }
}

/** Reason that a check does not apply to this storage. */
export class NotApplicableError extends Error {
  override readonly name = "NotApplicableError";
}

/**
 * Compares deeply and strictly. `what` names the value so that the storage's author understands it without
 * reading the check.
 */
export function expectEqual(got: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(got, expected)) throw new StorageSuiteError(what, shown(expected), shown(got));
}

/** Expects the same elements, equally often, in any order. */
export function expectMembers(
  got: readonly (string | number)[],
  expected: readonly (string | number)[],
  what: string,
): void {
  const missing = without(expected, got);
  const surplus = without(got, expected);
  if (missing.length + surplus.length === 0) return;
  const counts = `${got.length} elements, ${missing.length} missing: ${shown(missing)}`;
  const more = `${surplus.length} unexpected: ${shown(surplus)}`;
  throw new StorageSuiteError(what, `${expected.length} elements, in any order`, `${counts}, ${more}`);
}

export function expectTrue(holds: boolean, what: string, expected: string, got: unknown): void {
  if (!holds) throw new StorageSuiteError(what, expected, shown(got));
}

/** Returns the elements that `items` contains more often than `others`. */
function without<T>(items: readonly T[], others: readonly T[]): T[] {
  const counts = new Map<T, number>();
  for (const item of others) counts.set(item, (counts.get(item) ?? 0) + 1);
  return items.filter((item) => {
    const left = counts.get(item) ?? 0;
    counts.set(item, left - 1);
    return left <= 0;
  });
}

/** Returns a value as shown in a failure: JSON, shortened if it is long. */
function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value, printable) ?? String(value));
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}... (${text.length} characters)`;
}

function printable(_name: string, value: unknown): unknown {
  return value instanceof Float32Array || value instanceof Uint32Array ? [...value] : value;
}
