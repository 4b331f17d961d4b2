import type { PluginErasureResult } from "@membus/protocol";
import type { ErasureState, OperationId } from "../journal/index.js";
import type { MutationParts } from "./tier.js";

export interface ErasureParts extends Pick<MutationParts, "journal" | "operations"> {
  /** What became of what a forget took, logged as `seq` and accepted at `at`; undefined where nobody can say by when. */
  erasureOf(seq: number, at: number): Promise<ErasureState | undefined>;
}

/** What became of the bytes that a forget took (clause PLUG-22). One that was cut short is to be sent again first. */
export async function erasure(tier: ErasureParts, op: OperationId): Promise<PluginErasureResult | undefined> {
  const remembered = tier.operations.findById(op);
  const result = remembered && (await tier.journal.resultAt(remembered.place));
  if (result?.deleted === undefined) return undefined;
  const { place, at, done } = remembered!;
  if (!done) return { purge: "scheduled" };
  // In memory nothing was ever on disk.
  if (!("seq" in place)) return { purge: "done", purged_at: at };
  const state = await tier.erasureOf(result.firstSeq ?? place.seq, at);
  if (state === undefined) return { purge: "scheduled" };
  if ("erasedAt" in state) return { purge: "done", purged_at: state.erasedAt };
  return { purge: "scheduled", purge_by: state.eraseBy };
}
