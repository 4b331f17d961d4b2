import { barChart, type PlotOptions, sparkline } from "../terminal/plots.js";
import type { Latency } from "./latency.js";
import type { MemoryFigures } from "./memory-figures.js";

/** Returns the plots of a memory as lines. */
export function memoryPlots(
  { tiers, kinds, growth, since, notes }: MemoryFigures,
  agent: string,
  options: PlotOptions,
): string[] {
  return [
    `entries of ${agent}, by tier`,
    ...barChart(tiers, options),
    ...(kinds.length === 0 ? [] : [`entries of ${agent}, by kind`, ...barChart(kinds, options)]),
    ...(growth === undefined ? [] : growthPlot(growth, since, options)),
    ...notes,
  ];
}

function growthPlot(growth: readonly number[], since: number, options: PlotOptions): string[] {
  const largest = Math.max(...growth);
  const day = new Date(since * 1_000).toISOString().slice(0, 10);
  const frame = options.isUnicode ? ["▕", "▏"] : ["|", "|"];
  return [
    `created per half day since ${day}, at most ${largest.toLocaleString("en")}`,
    `  ${frame.join(sparkline(growth, options))}`,
  ];
}

/** Returns the latencies as lines, the slowest type last. */
export function latencyPlots(latencies: readonly Latency[], options: PlotOptions): string[] {
  if (latencies.length === 0) return [];
  const width = Math.max(...latencies.map(({ type }) => type.length));
  const lines = latencies.map(({ type, counts, p50, p95, p99 }) => {
    const plot = sparkline(counts, options).padEnd(counts.length);
    const frame = options.isUnicode ? `▕${plot}▏` : `|${plot}|`;
    return `  ${type.padEnd(width)}  ${frame}  p50 ${bound(p50)}, p95 ${bound(p95)}, p99 ${bound(p99)}`;
  });
  return ["time to reply since the start of the hosts, from 0.25 ms to more than 5 s", ...lines];
}

function bound(ms: number): string {
  if (ms === Number.POSITIVE_INFINITY) return "over 5 s";
  return ms < 1_000 ? `up to ${ms} ms` : `up to ${ms / 1_000} s`;
}
