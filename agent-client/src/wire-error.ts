import { type ErrorMessage, type MemoryError, parseErrorMessage } from "@membus/protocol";

/** The error that a part of a reply reports: one entry of a store, one tier of a retrieve. */
export function wireError(report: {
  readonly code: string;
  readonly message: string;
  readonly detail?: ErrorMessage["detail"];
}): MemoryError {
  return parseErrorMessage({ detail: {}, ...report } as ErrorMessage);
}
