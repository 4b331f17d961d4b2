import { type ErrorCode, isMemoryError, type MemoryError } from "@membus/protocol";
import { expect } from "vitest";

/** The error that `work` rejects with, which must be a MemoryError of this code. */
export async function rejection(work: Promise<unknown>, code: ErrorCode): Promise<MemoryError> {
  const error = await work.then(
    () => "nothing was thrown",
    (reason: unknown) => reason,
  );
  return expectCode(error, code);
}

/** The error that `run` throws, which must be a MemoryError of this code. */
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
