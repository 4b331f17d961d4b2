import { isDeepStrictEqual } from "node:util";
import { type ErrorCode, isMemoryError, type MemoryError } from "@membus/protocol";
import { NoReplyError } from "./no-reply-error.js";
import { shown } from "./report/shown.js";
import type { TracedStep } from "./run/traced-step.js";

/** A failed expectation: the tested value, the value that the protocol requires, and the actual value. */
export interface Discrepancy {
  readonly what: string;
  readonly expected: string;
  readonly got: string;
  /** Message that produced the value, if a check sends several messages. */
  readonly sent?: string;
  /** Cause of a malformed reply. Checks that fail over the same malformed field have the same cause. */
  readonly cause?: string;
  /** Requests that reproduce the failure, if the check searched for the shortest sequence. */
  readonly steps?: readonly TracedStep[];
}

/** Thrown if an expectation fails. */
export class ExpectationError extends Error {
  override readonly name = "ExpectationError";
  readonly discrepancy: Discrepancy;

  constructor(discrepancy: Discrepancy) {
    super(`${discrepancy.what}: expected ${discrepancy.expected}, got ${discrepancy.got}`);
    this.discrepancy = discrepancy;
  }
}

/** Thrown if a declared feature could not be exercised. The check then counts as red. */
export class UntestableError extends Error {
  override readonly name = "UntestableError";
}

/**
 * Counts the expectations of one check, because a check without expectations has tested nothing.
 *
 * `what` names the tested value in words that a plugin author understands, such as "total of a retrieve with
 * limit 3".
 */
export class Expect {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Compares deeply and strictly. Undefined fields count as absent. */
  equal(got: unknown, expected: unknown, what: string): void {
    this.#demand(isDeepStrictEqual(plain(got), plain(expected)), what, shown(expected), shown(got));
  }

  notEqual(got: unknown, other: unknown, what: string): void {
    this.#demand(
      !isDeepStrictEqual(plain(got), plain(other)),
      what,
      `a value other than ${shown(other)}`,
      shown(got),
    );
  }

  /** Expects the same elements in any order. */
  sameMembers(got: readonly unknown[], expected: readonly unknown[], what: string): void {
    const sorted = (items: readonly unknown[]) => items.map((item) => JSON.stringify(plain(item))).sort();
    const equal = isDeepStrictEqual(sorted(got), sorted(expected));
    this.#demand(equal, what, `${shown(expected)} in any order`, shown(got));
  }

  holds(condition: boolean, what: string, got: unknown, expected = "it to hold"): void {
    this.#demand(condition, what, expected, shown(got));
  }

  atMost(got: number, max: number, what: string): void {
    this.#demand(got <= max, what, `at most ${max}`, shown(got));
  }

  atLeast(got: number, min: number, what: string): void {
    this.#demand(got >= min, what, `at least ${min}`, shown(got));
  }

  /** Expects `got` within `tolerance` of `expected`. */
  near(got: unknown, expected: number, tolerance: number, what: string): void {
    const isNear = typeof got === "number" && Math.abs(got - expected) <= tolerance;
    this.#demand(isNear, what, `${expected} give or take ${tolerance}`, shown(got));
  }

  /** Expects `call` to be refused with one of the codes. Returns the error. */
  async refused(
    call: Promise<unknown>,
    codes: ErrorCode | readonly ErrorCode[],
    what: string,
  ): Promise<MemoryError> {
    const expected = [codes].flat();
    const error = await call.then(
      (reply) => this.#never(what, `an error ${expected.join(" or ")}`, `the reply ${shown(reply)}`),
      (error: unknown) => error,
    );
    if (!isMemoryError(error) || error instanceof NoReplyError) throw error;
    this.#demand(expected.includes(error.code), what, `an error ${expected.join(" or ")}`, shownError(error));
    return error;
  }

  /**
   * Ends a check if the tested situation did not occur.
   * @throws {UntestableError} names the requirement that the run lacks.
   */
  precondition(happened: boolean, needs: string): void {
    if (!happened) throw new UntestableError(needs);
  }

  #demand(holds: boolean, what: string, expected: string, got: string): void {
    this.#count++;
    if (!holds) throw new ExpectationError({ what, expected, got });
  }

  #never(what: string, expected: string, got: string): never {
    this.#count++;
    throw new ExpectationError({ what, expected, got });
  }
}

function shownError({ code, message, detail }: MemoryError): string {
  return `an error ${code} (${message}) with detail ${shown(detail)}`;
}

/** Removes undefined fields, sorts the others by name, and turns vectors into lists. */
function plain(value: unknown): unknown {
  if (value instanceof Float32Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]));
}
