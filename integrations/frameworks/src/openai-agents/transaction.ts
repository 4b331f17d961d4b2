import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { canonicalJson, type Json } from "@membus/protocol";
import { toJson } from "./item-json.js";
import { SessionHistoryError } from "./session-history-error.js";
import { type Batch, type Change, firstWithin, itemsOf, type Operation } from "./session-log.js";

/** Replaces the first call with `callId` by `replacement`, and removes further ones. */
export interface HistoryMutation {
  readonly type: "replace_function_call";
  readonly callId: string;
  readonly replacement: unknown;
}

export type HistoryTransaction =
  | { readonly type: "append_items"; readonly items: readonly unknown[] }
  | {
      readonly type: "replace_suffix";
      readonly expectedSuffix: readonly unknown[];
      readonly replacement: readonly unknown[];
    };

export interface HistoryTransactionArgs {
  /** The same for a repeated call. */
  readonly operationId: string;
  readonly transaction: HistoryTransaction;
}

/** Returns the id and content of a transaction as hashes. @throws {TypeError} for an invalid transaction. */
export function operationOf({ operationId, transaction }: HistoryTransactionArgs): Operation {
  if (typeof operationId !== "string" || operationId.trim() === "") {
    throw new TypeError("operationId must be a non-empty text");
  }
  const lists =
    transaction.type === "append_items"
      ? [transaction.items]
      : [transaction.expectedSuffix, transaction.replacement];
  if (!["append_items", "replace_suffix"].includes(transaction.type) || !lists.every(Array.isArray)) {
    throw new TypeError("a transaction must be append_items with items, or replace_suffix with two lists");
  }
  return { id: sha256(operationId), does: sha256(canonicalJson([transaction.type, lists.map(toJsonList)])) };
}

/**
 * Returns the change of a transaction. undefined if it is already applied.
 * @throws {SessionHistoryError} if another transaction has its id, or the history does not end as expected.
 */
export function changeBy(
  { transaction }: HistoryTransactionArgs,
  operation: Operation,
  live: readonly Batch[],
): Change | undefined {
  const earlier = live.flatMap(({ operations }) => operations).find(({ id }) => id === operation.id);
  if (earlier !== undefined) {
    if (earlier.does === operation.does) return undefined;
    throw new SessionHistoryError(
      "Session history operation was already applied with a different transaction.",
    );
  }
  if (transaction.type === "append_items") {
    return { kept: live.length, items: toJsonList(transaction.items), operation };
  }
  const expected = toJsonList(transaction.expectedSuffix);
  if (!isDeepStrictEqual(expected.length === 0 ? [] : itemsOf(live).slice(-expected.length), expected)) {
    throw new SessionHistoryError("Session history suffix no longer matches the transaction precondition.");
  }
  const kept = firstWithin(live, expected.length);
  const touched = itemsOf(live.slice(kept));
  const before = touched.slice(0, touched.length - expected.length);
  return { kept, items: [...before, ...toJsonList(transaction.replacement)], operation };
}

/** Returns the change of mutations. undefined if no call has their ids. */
export function changeByMutations(
  mutations: readonly HistoryMutation[],
  live: readonly Batch[],
): Change | undefined {
  const unknown = mutations.find(({ type }) => type !== "replace_function_call");
  if (unknown !== undefined) throw new TypeError(`unknown mutation ${String(unknown.type)}`);
  const isMutated = (item: Json) => mutations.some(({ callId }) => isCall(item, callId));
  const kept = live.findIndex(({ items }) => items.some(isMutated));
  if (kept < 0) return undefined;
  return { kept, items: mutations.reduce(mutated, itemsOf(live.slice(kept))) };
}

export function toJsonList(items: readonly unknown[]): Json[] {
  return items.map(toJson);
}

function mutated(items: readonly Json[], { callId, replacement }: HistoryMutation): Json[] {
  const first = items.findIndex((item) => isCall(item, callId));
  return items.flatMap((item, at) => {
    if (at === first) return [toJson(replacement)];
    return isCall(item, callId) ? [] : [item];
  });
}

function isCall(item: Json, callId: string): boolean {
  const { type, callId: found } = item as { readonly type?: unknown; readonly callId?: unknown };
  return type === "function_call" && found === callId;
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
