import { MemoryError, type PluginForgetResult, type PluginStoreResult } from "@membus/protocol";
import type { OperationResult } from "../../journal/index.js";
import type { TierCore } from "../tier.js";

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

/** The reply of a forget; `at` is remembered with it. */
export function forgetResult(
  { durable }: Pick<TierCore, "durable">,
  deleted: number,
  at: number,
): PluginForgetResult {
  return { deleted, at, purge: durable ? "scheduled" : "done" };
}

function isWritten(outcome: string): boolean {
  return outcome === "created" || outcome === "updated";
}
