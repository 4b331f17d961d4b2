import { FEATURES, type PluginManifest, type PluginRetrieveRequest } from "@membus/protocol/plugin";
import { textOf, wordsOf } from "./relevance.js";
import type { Row } from "./row.js";

const NOTHING_OFFERED = Object.fromEntries(
  Object.keys(FEATURES).map((name) => [name, false]),
) as PluginManifest["features"];

/** Features of the reference plugin, apart from those that depend on its host. */
export const BASICS_OFFERED: PluginManifest["features"] = {
  ...NOTHING_OFFERED,
  ...{ full_text: true, ttl: true, conditional: true, subtree: true, queued: true },
};

/** Returns the recency factor of a row (clause RET-24). */
export function recencyOf(row: Row, { recency, as_of }: PluginRetrieveRequest): number {
  if (recency === undefined) return 1;
  const age = Math.max(0, as_of - row.occurred_at);
  return 1 - recency.weight + recency.weight * 0.5 ** (age / recency.half_life_s);
}

export interface Candidate {
  readonly row: Row;
  readonly score: number;
}

/** Selects `limit` candidates by maximal marginal relevance and keeps their order. */
export function diversify<One extends Candidate>(
  candidates: readonly One[],
  { diversity, limit }: { readonly diversity: number; readonly limit: number },
): One[] {
  const picked = new Set(candidates.slice(0, Math.min(1, limit)));
  const worth = (one: One) => {
    const nearest = Math.max(...[...picked].map((other) => likeness(one.row, other.row)));
    return (1 - diversity) * one.score - diversity * nearest;
  };
  while (picked.size < Math.min(limit, candidates.length)) {
    const left = candidates.filter((one) => !picked.has(one));
    picked.add(left.reduce((best, one) => (worth(one) > worth(best) ? one : best)));
  }
  return candidates.filter((one) => picked.has(one));
}

/** Returns the share of words that two rows have in common. */
function likeness(a: Row, b: Row): number {
  const [ofA, ofB] = [wordsOf(textOf(a)), wordsOf(textOf(b))];
  const shared = [...ofA].filter((word) => ofB.has(word)).length;
  return shared / (ofA.size + ofB.size - shared || 1);
}

/** Returns the nearest rows of the same group by `seq` (clause RET-29). */
export function neighboursOf(
  row: Row,
  rows: readonly Row[],
  { before, after }: { readonly before: number; readonly after: number },
): { readonly before: readonly Row[]; readonly after: readonly Row[] } {
  const group = row.group === undefined ? [] : rows.filter((other) => other.group === row.group);
  const ordered = group.toSorted((a, b) => a.seq - b.seq);
  const earlier = ordered.filter(({ seq }) => seq < row.seq);
  return {
    before: earlier.slice(Math.max(0, earlier.length - before)),
    after: ordered.filter(({ seq }) => seq > row.seq).slice(0, after),
  };
}
