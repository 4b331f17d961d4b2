import { ERROR_CATALOGUE, type ErrorCode } from "./error-catalogue.js";

export type ErrorDetail = Readonly<Record<string, string | number | boolean>>;

const BRAND = Symbol.for("membus.MemoryError");

/** Error that is sent to the peer. `code` identifies it. The message may change between versions. */
export class MemoryError extends Error {
  override readonly name = "MemoryError";
  readonly code: ErrorCode;
  readonly detail: ErrorDetail;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.detail = detail;
    this.retryable = ERROR_CATALOGUE[code].retryable;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Returns true for a `MemoryError` from any copy of this package. */
export function isMemoryError(error: unknown): error is MemoryError {
  return error instanceof Error && (error as unknown as Record<symbol, unknown>)[BRAND] === true;
}
