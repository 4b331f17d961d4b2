import { z } from "zod";
import { ERROR_CATALOGUE, type ErrorCode } from "../error-catalogue.js";
import { type ErrorDetail, MemoryError } from "../memory-error.js";
import { replyShape } from "./envelope.js";

/** `error`: reply to a request that failed as a whole (04-errors). */
export const ErrorMessageSchema = z
  .looseObject({
    type: z.literal("error"),
    ...replyShape,
    req_id: z.string().nullable().meta({ description: "null if the request id could not be read" }),
    code: z.string(),
    message: z.string(),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    retryable: z.boolean(),
    capability_name: z.literal("memory"),
  })
  .meta({ id: "ErrorMessage" });
export type ErrorMessage = z.infer<typeof ErrorMessageSchema>;

/** Returns the fields of an error in a reply and in `errors` of a store (clause ERR-1). */
export function errorFields(error: MemoryError): {
  code: ErrorCode;
  message: string;
  detail: ErrorDetail;
  retryable: boolean;
} {
  return { code: error.code, message: error.message, detail: error.detail, retryable: error.retryable };
}

/** Returns the headers that report an error to NATS tools (clause ERR-7). */
export function errorHeaders(error: MemoryError): Record<string, string> {
  return {
    "Nats-Service-Error": error.message.replace(/[\r\n]+/g, " ").slice(0, 256),
    "Nats-Service-Error-Code": String(ERROR_CATALOGUE[error.code].header),
  };
}

/**
 * Converts an `error` reply to a `MemoryError`. An unknown code becomes `runtime_error` with the original
 * code in `detail.code`.
 */
export function parseErrorMessage(message: ErrorMessage): MemoryError {
  if (Object.hasOwn(ERROR_CATALOGUE, message.code)) {
    return new MemoryError(message.code as ErrorCode, message.message, message.detail);
  }
  return new MemoryError("runtime_error", message.message, { ...message.detail, code: message.code });
}
