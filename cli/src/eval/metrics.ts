/**
 * Ranks (from 1) of the documents that answer a question, in the order of its `gold`. Null means not found.
 */
export type GoldRanks = readonly (number | null)[];

const RECALL_CUTS = [1, 5, 10, 25] as const;
/** Cuts of `any@k` and `all@k`. */
const SET_CUTS = [5, 10] as const;
const CUT = 10;

export const METRIC_NAMES = [
  "recall@1",
  "recall@5",
  "recall@10",
  "recall@25",
  "hit@1",
  "any@5",
  "any@10",
  "all@5",
  "all@10",
  "mrr",
  "ndcg@10",
] as const;

export type MetricName = (typeof METRIC_NAMES)[number];
/** All values are 0..1. */
export type Metrics = Readonly<Record<MetricName, number>>;

/**
 * Returns the metrics of one question:
 * - recall@k: the share of its documents among the first k
 * - hit@1: whether the first document is one of its documents
 * - any@k: whether at least one of its documents is among the first k
 * - all@k: whether all its documents are among the first k
 * - mrr: 1 / rank of the first document
 * - ndcg@10: the discounted gain of the first ten with equal weights, divided by the best possible gain
 */
export function questionMetrics(ranks: GoldRanks): Metrics {
  const found = ranks.filter((rank) => rank !== null).sort((a, b) => a - b);
  const recall = (cut: number) => found.filter((rank) => rank <= cut).length / ranks.length;
  const ideal = ranks.slice(0, CUT).reduce<number>((sum, _, index) => sum + gain(index + 1), 0);
  const gained = found.filter((rank) => rank <= CUT).reduce((sum, rank) => sum + gain(rank), 0);
  const [first] = found;
  return {
    ...(Object.fromEntries(RECALL_CUTS.map((cut) => [`recall@${cut}`, recall(cut)])) as RecallMetrics),
    "hit@1": recall(1) > 0 ? 1 : 0,
    ...(Object.fromEntries(
      SET_CUTS.flatMap((cut) => [
        [`any@${cut}`, recall(cut) > 0 ? 1 : 0],
        [`all@${cut}`, recall(cut) === 1 ? 1 : 0],
      ]),
    ) as SetMetrics),
    mrr: first === undefined ? 0 : 1 / first,
    "ndcg@10": gained / ideal,
  };
}

type SetMetrics = Record<`${"any" | "all"}@${(typeof SET_CUTS)[number]}`, number>;
type RecallMetrics = Record<`recall@${(typeof RECALL_CUTS)[number]}`, number>;

function gain(rank: number): number {
  return 1 / Math.log2(1 + rank);
}

/** Returns the mean of each metric, or 0 without questions. */
export function meanMetrics(measured: readonly Metrics[]): Metrics {
  const mean = (name: MetricName) =>
    measured.reduce((sum, metrics) => sum + metrics[name], 0) / Math.max(1, measured.length);
  return Object.fromEntries(METRIC_NAMES.map((name) => [name, mean(name)])) as Metrics;
}

/** Returns the percentile by nearest rank, or 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
