import { type Load, median } from "./load.js";
import { type BenchResult, benchResult } from "./result.js";

type LoadPairs = readonly { readonly ours: Load; readonly raw: Load }[];

/** What a figure says, and the ratio that it should keep, where one is set. */
interface Figure {
  readonly title: string;
  readonly goal?: number | undefined;
}

/** Median times of one operation, ours to the raw limit; the goal is the most. */
export function timeRatio(id: string, pairs: LoadPairs, { title, goal }: Figure): BenchResult {
  const p50 = (side: "ours" | "raw") => `${median(pairs.map((pair) => pair[side].p50)).toFixed(2)} ms`;
  const ratio = median(pairs.map((pair) => pair.ours.p50 / pair.raw.p50));
  const measured = { ratio, title, ours: p50("ours"), raw: p50("raw") };
  return benchResult(id, measured, goal === undefined ? undefined : ["at most", goal]);
}

/** Seconds of something that is done once a round; the goal is the most. */
export function secondsRatio(
  id: string,
  pairs: readonly { readonly ours: number; readonly raw: number }[],
  { title, goal }: Figure,
): BenchResult {
  const seconds = (side: "ours" | "raw") => `${median(pairs.map((pair) => pair[side])).toFixed(2)} s`;
  const ratio = median(pairs.map((pair) => pair.ours / pair.raw));
  const measured = { ratio, title, ours: seconds("ours"), raw: seconds("raw") };
  return benchResult(id, measured, goal === undefined ? undefined : ["at most", goal]);
}

/** Operations a second, ours to the raw limit; the goal is the least. */
export function rateRatio(id: string, pairs: LoadPairs, { title, goal }: Figure): BenchResult {
  const rate = (side: "ours" | "raw") => `${Math.round(median(pairs.map((pair) => pair[side].perSecond)))}/s`;
  const ratio = median(pairs.map((pair) => pair.ours.perSecond / pair.raw.perSecond));
  const measured = { ratio, title, ours: rate("ours"), raw: rate("raw") };
  return benchResult(id, measured, goal === undefined ? undefined : ["at least", goal]);
}
