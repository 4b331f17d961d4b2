import { sumStats } from "@membus/cluster";
import { shareBar } from "../terminal/progress-bar.js";
import type { ReindexRates } from "./reindex-rates.js";
import type { TierProgress } from "./tier-progress.js";

/** Name of the sum of several hosts. */
const ALL = "all hosts";

/** Returns a line for each tier of each host. If there are several hosts, also one for each tier of all of them. */
export function progressLines(tiers: readonly TierProgress[], rates: ReindexRates): string[] {
  const lineOf = (who: string, progress: TierProgress, ids: string) => {
    const tier = `${who}${progress.tier.padEnd(8)}`;
    return [tier, amountOf(progress, rates.textOf(progress)), ...(ids === "" ? [] : [ids])].join("  ");
  };
  if (new Set(tiers.map(({ host_id: id }) => id)).size < 2)
    return tiers.map((each) => lineOf("", each, idsOf(each)));
  const lines = tiers.map((each) => lineOf(`host ${each.host}  `, each, idsOf(each)));
  // Hosts that are not restarted yet may have another embedder, so the sum names none.
  return [...lines, ...sumsOf(tiers).map((sum) => lineOf(`${ALL}  `, sum, ""))];
}

function amountOf({ state, total, done }: TierProgress, rate: string): string {
  if (state === "done") return "done";
  const bar = shareBar(total === 0 ? 1 : done / total);
  return `${bar}  ${done} of ${total} entries${rate === "" ? "" : `, ${rate}`}, ${state}`;
}

function idsOf({ generation, embedder, analyzer }: TierProgress): string {
  return `generation ${generation}: ${embedder === "" ? "no embedder" : embedder}, ${analyzer}`;
}

/** Adds the entries of each tier up. It is re-indexed as long as it is on one host. */
function sumsOf(tiers: readonly TierProgress[]): TierProgress[] {
  return [...new Set(tiers.map(({ tier }) => tier))].map((tier) => {
    const ofTier = tiers.filter((each) => each.tier === tier);
    const figures = ofTier.map(({ state, total, done }) => ({ reindex_state: state, total, done }));
    const { reindex_state: state, total, done } = sumStats(figures);
    return { ...ofTier[0]!, host_id: ALL, host: ALL, state, total, done } as TierProgress;
  });
}
