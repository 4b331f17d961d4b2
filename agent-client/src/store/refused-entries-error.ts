import { MemoryError } from "@membus/protocol";
import type { StoreResult } from "./store.js";
import { toMemoryError } from "./to-memory-error.js";

/** Error of a store with a refused entry. Code and detail belong to the first refused entry. */
export class RefusedEntriesError extends MemoryError {
  /** Outcome of each entry: `receipts` of the stored entries, `errors` of the others. */
  readonly result: StoreResult;

  constructor(result: StoreResult) {
    const { code, message, detail } = toMemoryError(result.errors[0]!);
    super(code, messageOf(message, result), detail);
    this.result = result;
  }
}

function messageOf(message: string, { errors, receipts }: StoreResult): string {
  const count = errors.length + receipts.length;
  if (count === 1) return message;
  return `entries[${errors[0]!.index}]: ${message} (${receipts.length} of ${count} entries are stored)`;
}
