import { systemClock } from "@membus/protocol";

/** What one round of load showed. Times in milliseconds. */
export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Runs `operation` on 0, 1, 2 … `count - 1`, with `inFlight` of them under way at any time. */
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
      const begun = milliseconds();
      await operation(index);
      times.push(milliseconds() - begun);
    }
  };
  const begun = milliseconds();
  await Promise.all(Array.from({ length: inFlight }, worker));
  const seconds = (milliseconds() - begun) / 1000;
  times.sort((a, b) => a - b);
  return { perSecond: count / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** `sorted` ascending. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** Runs ours and the raw limit in turn, so that a machine that slows down slows both: ratios pair by pair. */
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

/** Milliseconds on the machine's clock. */
export function milliseconds(): number {
  return systemClock.now() * 1_000;
}
