import { errorFields, type MemoryError, type MemoryKey, type StoreReceipt } from "@membus/protocol";

/** An error of one entry, as store and status report it. */
export function entryError(index: number, key: MemoryKey | null, error: MemoryError) {
  return { index, key, ...errorFields(error) };
}

/** A receipt, as store and status report it. */
export function receiptFields({ index, key_hash, outcome, revision }: StoreReceipt, event_id?: string) {
  return { index, key_hash, outcome, revision, event_id };
}

export function byIndex(a: { readonly index: number }, b: { readonly index: number }): number {
  return a.index - b.index;
}
