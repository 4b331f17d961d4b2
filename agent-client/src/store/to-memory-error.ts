import { type ErrorMessage, type MemoryError, parseErrorMessage, type StoreError } from "@membus/protocol";

/** Converts the error of an entry to a `MemoryError`. */
export function toMemoryError({ code, message, detail = {} }: StoreError): MemoryError {
  return parseErrorMessage({ code, message, detail } as ErrorMessage);
}
