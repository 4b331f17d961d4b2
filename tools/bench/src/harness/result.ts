/** A result of the benchmark: a ratio to the baseline in the same run. */
export interface BenchResult {
  readonly id: string;
  readonly ratio: number;
  /** Target of the ratio, or null. */
  readonly goal: number | null;
  readonly met: boolean;
  /** Description of the measurement. */
  readonly title: string;
  readonly ours: string;
  readonly raw: string;
}

type Direction = "at least" | "at most";

export function benchResult(
  id: string,
  measured: { readonly ratio: number; readonly title: string; readonly ours: string; readonly raw: string },
  goal?: readonly [Direction, number],
): BenchResult {
  const ratio = Math.round(measured.ratio * 1000) / 1000;
  if (goal === undefined) return { id, ...measured, ratio, goal: null, met: true };
  const [direction, bound] = goal;
  const met = direction === "at least" ? measured.ratio >= bound : measured.ratio <= bound;
  return { id, ...measured, ratio, goal: bound, met };
}

export function resultTable(results: readonly BenchResult[]): string {
  const rows = results.map(({ id, ours, raw, ratio, goal, met, title }) =>
    [
      id.padEnd(14),
      ours.padEnd(16),
      raw.padEnd(16),
      ratio.toFixed(3).padEnd(7),
      String(goal ?? "-").padEnd(6),
      met ? "yes" : "NO ",
      title,
    ].join("  "),
  );
  const head = [
    "id".padEnd(14),
    "ours".padEnd(16),
    "raw".padEnd(16),
    "ratio  ",
    "goal  ",
    "met",
    "description",
  ].join("  ");
  return [head, ...rows].join("\n");
}
