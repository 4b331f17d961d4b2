import { type Load, median } from "./load.js";
import { type BenchResult, benchResult } from "./result.js";

type LoadPairs = readonly { readonly ours: Load; readonly raw: Load }[];

/** Title of a result, and the target of its ratio, if any. */
interface Measurement {
  readonly title: string;
  readonly goal?: number | undefined;
}

/** Returns the ratio of median times to the baseline. The goal is a maximum. */
export function timeRatio(id: string, pairs: LoadPairs, { title, goal }: Measurement): BenchResult {
  const p50 = (side: "ours" | "raw") => `${median(pairs.map((pair) => pair[side].p50)).toFixed(2)} ms`;
  const ratio = median(pairs.map((pair) => pair.ours.p50 / pair.raw.p50));
  const measured = { ratio, title, ours: p50("ours"), raw: p50("raw") };
  return benchResult(id, measured, goal === undefined ? undefined : ["at most", goal]);
}

/** Returns the ratio of seconds per round to the baseline. The goal is a maximum. */
export function secondsRatio(
  id: string,
  pairs: readonly { readonly ours: number; readonly raw: number }[],
  { title, goal }: Measurement,
): BenchResult {
  const seconds = (side: "ours" | "raw") => `${median(pairs.map((pair) => pair[side])).toFixed(2)} s`;
  const ratio = median(pairs.map((pair) => pair.ours / pair.raw));
  const measured = { ratio, title, ours: seconds("ours"), raw: seconds("raw") };
  return benchResult(id, measured, goal === undefined ? undefined : ["at most", goal]);
}

/** Returns the ratio of operations per second to the baseline. The goal is a minimum. */
export function rateRatio(id: string, pairs: LoadPairs, { title, goal }: Measurement): BenchResult {
  const rate = (side: "ours" | "raw") => `${Math.round(median(pairs.map((pair) => pair[side].perSecond)))}/s`;
  const ratio = median(pairs.map((pair) => pair.ours.perSecond / pair.raw.perSecond));
  const measured = { ratio, title, ours: rate("ours"), raw: rate("raw") };
  return benchResult(id, measured, goal === undefined ? undefined : ["at least", goal]);
}
