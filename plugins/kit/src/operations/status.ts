import { parseScopeId, type StoreReceipt } from "@membus/protocol";
import type { PluginStatusResult } from "@membus/protocol/plugin";
import type { OperationId } from "../journal/index.js";
import type { LoadedPartition } from "../lifecycle/index.js";
import { recall } from "./recall.js";
import { storeResult } from "./store/store-record.js";
import type { MutationParts } from "./tier.js";

/** Returns the status of a store: its outcomes, and whether vectors are pending (clause STATUS-2). */
export async function status(
  tier: Pick<MutationParts, "durable" | "journal" | "operations" | "registry">,
  op: OperationId,
): Promise<PluginStatusResult | undefined> {
  const result = (await recall(tier, op))?.result;
  if (result?.scope === undefined) return undefined;
  const { receipts, errors } = storeResult(result, { queued: false });
  // In a tier in memory, vectors are computed by the first query that needs them, so nothing is pending.
  if (!tier.durable) return { receipts, errors, done: true };
  const done = await tier.registry.use(
    parseScopeId(result.scope),
    (loaded) => !receipts.some((receipt) => isPending(loaded, receipt)),
  );
  return { receipts, errors, done };
}

function isPending({ partition }: LoadedPartition, receipt: StoreReceipt): boolean {
  const slot = partition.slotOf(receipt.key_hash);
  if (slot === undefined || partition.columns.numbers.revision[slot] !== receipt.revision) return false;
  return partition.vectors?.isPending(slot) ?? false;
}
