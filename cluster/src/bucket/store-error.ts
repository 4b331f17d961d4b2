import { isMemoryError, MemoryError } from "@membus/protocol";
import { JetStreamApiError } from "@nats-io/jetstream";

/** Codes of JetStream for a write that expected another revision. */
const WRONG_LAST_SEQUENCE = new Set([10071, 10164]);
const STREAM_NOT_FOUND = 10059;
/** Codes of JetStream for an account or a server without space. */
const NO_SPACE = new Set([10_002, 10_023, 10_028, 10_047]);
/** Code of JetStream for a stream that cannot store a message. The text gives the reason. */
const STORE_FAILED = 10_077;
/** Code of JetStream for a stream without suitable servers. The text says whether they are down. */
const NO_PEERS = 10_005;
/** Status of a request that no repetition can mend. */
const BAD_REQUEST = 400;
const RETRY_AFTER_MS = 500;

/** Whether the server refused a write because the key has another revision. */
export function isRefused(error: unknown): boolean {
  return error instanceof JetStreamApiError && WRONG_LAST_SEQUENCE.has(error.code);
}

export function isMissingStream(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND;
}

/** Whether the server refused a write because the stream, the account or the server has no space. */
export function isFull(error: unknown): boolean {
  if (!(error instanceof JetStreamApiError)) return false;
  return NO_SPACE.has(error.code) || (error.code === STORE_FAILED && error.message.includes("maximum"));
}

/** Converts an error of a request to the API of JetStream. In an account without JetStream it gets no answer. */
export function apiError(error: unknown): Error {
  const { name, cause } = error as Error;
  const names = [name, (cause as Error | undefined)?.name];
  if (!names.some((each) => each === "NoResponders" || each === "JetStreamNotEnabled"))
    return storeError(error);
  return unanswered(
    "the nats-servers have no JetStream in this account: configure `jetstream` with a `store_dir`, and enable it in the account",
    error,
  );
}

/**
 * Converts an error of a JetStream request. `unavailable` means that the request may succeed later, and that an
 * earlier write may have been done. Everything else is final.
 */
export function storeError(error: unknown): Error {
  if (isMemoryError(error) || error instanceof TypeError) return error;
  const { name, message } = error as Error;
  if (isFull(error))
    return unanswered(`JetStream has no space: ${message}. Raise the limits of its storage`, error);
  const isApiError = error instanceof JetStreamApiError;
  if (isApiError && error.code === NO_PEERS && message.includes("offline"))
    return unanswered(
      `too few nats-servers run for a new stream: ${message}. Start those that are down`,
      error,
    );
  if (name === "InvalidArgumentError" || (isApiError && error.status === BAD_REQUEST))
    return new MemoryError("runtime_error", `JetStream refused a request: ${message}`, {}, { cause: error });
  return unanswered(`JetStream did not answer: ${message}`, error);
}

function unanswered(message: string, cause: unknown): MemoryError {
  const detail = { reason: "jetstream", retry_after_ms: RETRY_AFTER_MS };
  return new MemoryError("unavailable", message, detail, { cause });
}

/** Whether a failed request may succeed later. */
export function isTemporary(error: unknown): error is MemoryError {
  return isMemoryError(error) && error.code === "unavailable";
}
