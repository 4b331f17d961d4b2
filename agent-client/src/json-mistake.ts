import { isDeepStrictEqual } from "node:util";
import type { MemoryError } from "@membus/protocol";

/** Whether JSON carries `value` unchanged: without undefined, NaN, functions, cycles, dates and other classes. */
export function survivesJson(value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
  } catch (error) {
    // Too deep for the stack is still JSON; a cycle and a BigInt are TypeErrors.
    return error instanceof RangeError;
  }
}

/** The caller's mistake behind a refusal: of a cycle, all that was found is its depth. */
export function mistakeError(refusal: MemoryError, message = refusal.message): TypeError {
  const hint = refusal.code === "too_large" ? "; does it hold itself?" : "";
  return new TypeError(message + hint, { cause: refusal });
}
