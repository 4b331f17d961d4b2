import { systemClock } from "@membus/protocol";

/** Results of one round. Times are in milliseconds. */
export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Runs `operation` for 0..`count - 1` with `inFlight` concurrent calls. */
export async function runLoad(
  count: number,
  inFlight: number,
  operation: (index: number) => Promise<unknown>,
): Promise<Load> {
  const times: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next++;
      const startedAt = milliseconds();
      await operation(index);
      times.push(milliseconds() - startedAt);
    }
  };
  const startedAt = milliseconds();
  await Promise.all(Array.from({ length: inFlight }, worker));
  const seconds = (milliseconds() - startedAt) / 1000;
  times.sort((a, b) => a - b);
  return { perSecond: count / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** Returns a quantile of values in ascending order. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** Alternates between our operation and the baseline, so that a slow phase of the machine affects both. */
export async function pairs<T>(
  rounds: number,
  ours: (round: number) => Promise<T>,
  raw: (round: number) => Promise<T>,
): Promise<{ readonly ours: T; readonly raw: T }[]> {
  const results: { ours: T; raw: T }[] = [];
  for (let round = 0; round < rounds; round++) {
    results.push({ raw: await raw(round), ours: await ours(round) });
  }
  return results;
}

/** Returns the system time in milliseconds. */
export function milliseconds(): number {
  return systemClock.now() * 1_000;
}
