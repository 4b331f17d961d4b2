import { isMemoryError, MemoryError } from "@membus/protocol";

/** Unreadable record. */
export interface RecordDamage {
  readonly file: string;
  /** Byte offset in the file. */
  readonly offset: number;
  readonly seq: number;
  readonly reason: string;
}

/** Returns the error for damage on disk. It is for the operator, because a retry does not help. */
export function corruptLog(damage: RecordDamage): MemoryError {
  const { file, offset, seq, reason } = damage;
  const message = `the log is corrupt: ${file}, byte ${offset}, record ${seq}: ${reason}`;
  return new MemoryError("runtime_error", message, { reason: "log_corrupt", file, offset, seq });
}

/**
 * Converts a file system error to `unavailable`, with its code (such as `ENOSPC`) as the reason. Returns
 * other errors unchanged.
 */
export function asLogError(error: unknown, action: string): unknown {
  if (isMemoryError(error) || !isSystemError(error)) return error;
  return new MemoryError(
    "unavailable",
    `${action}: ${error.message}`,
    { reason: error.code },
    { cause: error },
  );
}

/** Runs `task` and converts its errors with `asLogError`. */
export async function asLogErrors<T>(action: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw asLogError(error, action);
  }
}

function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === "string";
}
