import { z } from "zod";
import { ERROR_CATALOGUE, type ErrorCode } from "../error-catalogue.js";
import { type ErrorDetail, MemoryError } from "../memory-error.js";
import { replyShape } from "./envelope.js";

/** `error`: the reply to a request that failed as a whole (04-errors). */
export const ErrorMessageSchema = z
  .looseObject({
    type: z.literal("error"),
    ...replyShape,
    req_id: z.string().nullable().meta({ description: "null where the request's could not be read" }),
    code: z.string(),
    message: z.string(),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    retryable: z.boolean(),
    capability_name: z.literal("memory"),
  })
  .meta({ id: "ErrorMessage" });
export type ErrorMessage = z.infer<typeof ErrorMessageSchema>;

/** What every report of an error holds, in a reply and in `errors` of a store alike (clause ERR-1). */
export function errorFields(error: MemoryError): {
  code: ErrorCode;
  message: string;
  detail: ErrorDetail;
  retryable: boolean;
} {
  return { code: error.code, message: error.message, detail: error.detail, retryable: error.retryable };
}

/** The headers by which NATS tools see an error (clause ERR-7). */
export function errorHeaders(error: MemoryError): Record<string, string> {
  return {
    "Nats-Service-Error": error.message.replace(/[\r\n]+/g, " ").slice(0, 256),
    "Nats-Service-Error-Code": String(ERROR_CATALOGUE[error.code].header),
  };
}

/** The error behind an `error` reply; a code of a later version becomes `runtime_error`, its name kept in `detail.code`. */
export function parseErrorMessage(message: ErrorMessage): MemoryError {
  if (Object.hasOwn(ERROR_CATALOGUE, message.code)) {
    return new MemoryError(message.code as ErrorCode, message.message, message.detail);
  }
  return new MemoryError("runtime_error", message.message, { ...message.detail, code: message.code });
}
