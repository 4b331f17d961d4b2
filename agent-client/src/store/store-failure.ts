import { type ErrorMessage, type MemoryError, parseErrorMessage, type StoreError } from "@membus/protocol";

/** An error of an entry as the one that it would be of a request. */
export function storeFailure({ code, message, detail = {} }: StoreError): MemoryError {
  return parseErrorMessage({ code, message, detail } as ErrorMessage);
}
