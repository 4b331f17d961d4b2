import { MemoryError, type PluginStoreResult } from "@membus/protocol";
import type { OperationResult } from "../journal/record.js";

/** The reply of a store from what is remembered of it, so that the first and every later reply are the same. */
export function storeResult(
  { receipts = [], errors = [] }: OperationResult,
  { queued }: { readonly queued: boolean },
): PluginStoreResult {
  return {
    receipts: queued
      ? receipts.map((receipt) => (isWritten(receipt.outcome) ? { ...receipt, outcome: "queued" } : receipt))
      : receipts,
    errors: errors.map(({ index, code, message, detail }) => ({
      index,
      error: new MemoryError(code, message, detail),
    })),
  };
}

function isWritten(outcome: string): boolean {
  return outcome === "created" || outcome === "updated";
}
