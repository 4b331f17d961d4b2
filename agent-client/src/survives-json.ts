import { isDeepStrictEqual } from "node:util";

/** Whether JSON carries `value` unchanged: without undefined, NaN, functions, cycles, dates and other classes. */
export function survivesJson(value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
  } catch (error) {
    // Too deep for the stack is still JSON; a cycle and a BigInt are TypeErrors.
    return error instanceof RangeError;
  }
}
