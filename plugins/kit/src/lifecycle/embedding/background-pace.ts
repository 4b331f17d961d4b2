import { type Clock, isMemoryError } from "@membus/protocol";

/** Work done ahead of its rate: a small amount never waits. */
const BURST_S = 1;
/** The longest pause that a provider may ask for. */
const PAUSE_MS_MAX = 600_000;

/** Requests that wait for an embedder. Background work lets them go first. */
export class Foreground {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  get isIdle(): boolean {
    return this.#count === 0;
  }

  /** Counts while `work` is under way. */
  async run<T>(work: Promise<T>): Promise<T> {
    this.#count++;
    try {
      return await work;
    } finally {
      if (--this.#count === 0) for (const go of this.#waiting.splice(0)) go();
    }
  }

  /** Resolves when none is under way. */
  async idle(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** Spreads work over time. */
export class Pace {
  /** Unix seconds up to which the work so far is paid for. */
  #paidTo = 0;

  constructor(
    readonly clock: Clock,
    readonly perSecondMax: number,
  ) {}

  /** Takes so much more, and tells how many milliseconds to wait before the next. */
  take(count: number): number {
    const now = this.clock.now();
    this.#paidTo = Math.max(this.#paidTo, now - BURST_S) + count / this.perSecondMax;
    return Math.max(0, (this.#paidTo - now) * 1_000);
  }
}

/** Resolves after `delayMs`, or as soon as the signal is aborted. Keeps no process alive. */
export function waitUnlessAborted(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(delayMs, end, { background: true });
    signal.addEventListener("abort", end, { once: true });
  });
}

/** Milliseconds that a provider or a full log has asked to wait for; 0 where nothing was asked. */
export function pauseMsOf(error: unknown): number {
  const asked = isMemoryError(error) ? error.detail.retry_after_ms : undefined;
  return typeof asked === "number" ? Math.min(asked, PAUSE_MS_MAX) : 0;
}
