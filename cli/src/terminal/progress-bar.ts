import type { Clock } from "@membus/protocol";

const WIDTH = 30;
/** Pause between two drawings, so that a task of many small steps does not wait for the terminal. */
const DRAW_PAUSE_S = 0.1;

/** Returns a bar with a percentage. `share` is 0..1. */
export function shareBar(share: number): string {
  const filled = Math.round(share * WIDTH);
  return `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)} ${Math.round(share * 100)}%`;
}

/** Work done in some time, in any unit. */
export interface ProgressSpan {
  readonly done: number;
  readonly left: number;
  readonly elapsedS: number;
}

/** Returns the rate and the remaining time, empty while nothing is measured. */
export function rateText(
  { done, left, elapsedS }: ProgressSpan,
  formatRate: (perS: number) => string,
): string {
  if (done <= 0 || elapsedS <= 0) return "";
  const rate = done / elapsedS;
  return `${formatRate(rate)}, ${timeText(Math.ceil(left / rate))} left`;
}

function timeText(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

export function bytesPerS(rate: number): string {
  return rate < 1_048_576 ? `${(rate / 1_024).toFixed(0)} KiB/s` : `${(rate / 1_048_576).toFixed(1)} MiB/s`;
}

export function entriesPerS(rate: number): string {
  return `${countPerS(rate)} entries/s`;
}

export function itemsPerS(rate: number): string {
  return `${countPerS(rate)}/s`;
}

function countPerS(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : String(Math.round(rate));
}

export interface ProgressBarOptions {
  readonly clock: Clock;
  /** Formats the amount of `total` that is done in a second. */
  readonly formatRate: (perS: number) => string;
}

/**
 * A progress bar with rate and remaining time on standard error. It draws nothing if standard error is not a
 * terminal.
 */
export class ProgressBar {
  readonly #isTerminal = process.stderr.isTTY === true;
  readonly #options: ProgressBarOptions;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #start: { readonly done: number; readonly at: number } | undefined;

  constructor(
    readonly total: number,
    options: ProgressBarOptions,
  ) {
    this.#options = options;
  }

  /** The rate counts from the first call, so that a resumed task shows its true speed. */
  draw(done: number, note: string): void {
    if (!this.#isTerminal) return;
    const { clock, formatRate } = this.#options;
    const now = clock.now();
    this.#start ??= { done, at: now };
    if (now - this.#drawnAt < DRAW_PAUSE_S && done < this.total) return;
    this.#drawnAt = now;
    const start = this.#start;
    const share = this.total === 0 ? 1 : Math.min(1, done / this.total);
    const left = Math.max(0, this.total - done);
    const span = { done: done - start.done, left, elapsedS: now - start.at };
    const parts = [shareBar(share), note, rateText(span, formatRate)].filter((part) => part !== "");
    process.stderr.write(`\r${parts.join("  ")}\u001b[K`);
  }

  end(): void {
    if (this.#isTerminal && this.#start !== undefined) process.stderr.write("\n");
  }
}
