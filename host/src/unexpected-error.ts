import { isMemoryError, type Logger, MemoryError } from "@membus/protocol";

/** A `MemoryError` as it is; anything else is logged with its cause, and told to nobody (clause ERR-3). */
export function asMemoryError(error: unknown, logger: Logger): MemoryError {
  if (isMemoryError(error)) return error;
  logger.error({ err: error }, "a request failed unexpectedly");
  return new MemoryError("runtime_error", "the host failed");
}
