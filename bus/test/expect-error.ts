import { type ErrorCode, isMemoryError, type MemoryError } from "@membus/protocol";
import { expect } from "vitest";

/** Returns the MemoryError that `work` rejects with. Its code must be `code`. */
export async function rejection(work: Promise<unknown>, code: ErrorCode): Promise<MemoryError> {
  const error = await work.then(
    () => "nothing was thrown",
    (reason: unknown) => reason,
  );
  return expectCode(error, code);
}

/** Returns the MemoryError that `run` throws. Its code must be `code`. */
export function thrown(run: () => unknown, code: ErrorCode): MemoryError {
  let error: unknown = "nothing was thrown";
  try {
    run();
  } catch (reason) {
    error = reason;
  }
  return expectCode(error, code);
}

function expectCode(error: unknown, code: ErrorCode): MemoryError {
  if (!isMemoryError(error)) return expect.fail(`expected a MemoryError, got ${String(error)}`);
  expect(error.code, error.message).toBe(code);
  return error;
}
