import type { PluginErasureResult } from "@membus/protocol/plugin";
import type { ErasureState, OperationId } from "../journal/index.js";
import { recall } from "./recall.js";
import type { MutationParts } from "./tier.js";

export interface ErasureParts extends Pick<MutationParts, "journal" | "operations"> {
  /** Returns the erasure state of a forget that was logged as `seq` and accepted at `at`. Undefined without a disk. */
  erasureOf(seq: number, at: number): Promise<ErasureState | undefined>;
}

/**
 * Returns the erasure state of a forget's bytes (clause PLUG-22). An interrupted forget must be sent again
 * first.
 */
export async function erasure(tier: ErasureParts, op: OperationId): Promise<PluginErasureResult | undefined> {
  const earlier = await recall(tier, op);
  if (earlier?.result.deleted === undefined) return undefined;
  const { place, at, done, result } = earlier;
  if (!done) return { purge: "scheduled", purge_reason: "interrupted" };
  // A tier in memory never writes entries to disk.
  if (!("seq" in place)) return { purge: "done", purged_at: at };
  const state = await tier.erasureOf(result.firstSeq ?? place.seq, at);
  if (state === undefined) return { purge: "scheduled" };
  if ("erasedAt" in state) return { purge: "done", purged_at: state.erasedAt };
  if ("waitsFor" in state) return { purge: "scheduled", purge_reason: state.waitsFor };
  return { purge: "scheduled", purge_by: state.eraseBy };
}
