import { storageUnreachable } from "@membus/plugin-kit";
import { isMemoryError } from "@membus/protocol";

/**
 * Error codes of a file system that does not answer, and of a process without free handles or memory. `EIO`
 * is not among them: it is the code of a broken sector, which must not stop the other tables.
 */
const CODES = new Set([
  ...["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "ESTALE", "ENODEV", "ENXIO", "ENOTCONN", "ETIMEDOUT"],
  ...["EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETUNREACH"],
]);
/** The same errors in LanceDB's messages, which have no code. */
const WORDS = new RegExp(
  `(?:${[
    ...["too many open files", "too many open files in system", "cannot allocate memory"],
    ...[
      "resource temporarily unavailable",
      "stale file handle",
      "no such device",
      "no such device or address",
    ],
    ...["transport endpoint is not connected", "connection timed out", "host is down", "no route to host"],
    ...["network is down", "network is unreachable"],
  ].join("|")}) \\(os error`,
  "i",
);
/** Error of LanceDB after its retries. A missing object has another text. */
const OBJECT_STORE = "Generic S3 error";
const NO_ANSWER = /HTTP error|non-2xx status code: (?:408|429|5\d\d)/;
/** Answers to keys that have expired or lack a permission. */
const NO_ACCESS = /non-2xx status code: 40[13]/;

/**
 * Returns whether an error, or its cause, means that a store cannot be reached now, or belongs to another process.
 * Its tables are intact, as far as is known.
 */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isMemoryError(error) && error.code === "unavailable") return error.detail?.reason !== "storage_damaged";
  const { code, message, cause } = error as NodeJS.ErrnoException;
  if (CODES.has(String(code)) || WORDS.test(message)) return true;
  if (message.includes(OBJECT_STORE) && NO_ANSWER.test(message)) return true;
  if (NO_ACCESS.test(message)) return true;
  return isUnreachable(cause);
}

/** @throws {MemoryError} `unavailable` for an error that `isUnreachable`. */
export function throwIfUnreachable(error: unknown): void {
  if (isUnreachable(error)) throw isMemoryError(error) ? error : storageUnreachable(error);
}
