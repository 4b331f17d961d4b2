import type { ErrorCode, MemoryTier, RequestType } from "@membus/protocol";

/** Upper bounds of the latency buckets in milliseconds. One more bucket has no bound. */
export const LATENCY_BOUNDS_MS = Object.freeze([
  0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000,
]);

/** Labels of a request: its type, or `unknown` if unreadable, and its outcome. Both sets are bounded. */
export type TypeLabel = RequestType | "unknown";
export type OutcomeLabel = "ok" | ErrorCode;

/** Reason why a message was dropped without a reply, or a reply or event was not sent. */
export type DropReason =
  | "reply_subject"
  | "unanswerable"
  | "flood"
  | "reply_failed"
  | "event_limit"
  | "event_failed";

export interface RequestStats {
  readonly count: number;
  /** Number of requests by outcome: `ok`, or the code of the error reply. */
  readonly outcomes: Readonly<Partial<Record<OutcomeLabel, number>>>;
  /** Time from receipt to reply. */
  readonly latency: {
    readonly sumMs: number;
    /** Number of requests per bucket of `LATENCY_BOUNDS_MS`, plus one bucket for slower requests. */
    readonly counts: readonly number[];
  };
}

export interface MetricsSnapshot {
  readonly requests: Readonly<Partial<Record<TypeLabel, RequestStats>>>;
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
  /** Number of requests refused before decoding, by exceeded limit. */
  readonly refused: Readonly<Record<string, number>>;
  /** Number of plugin results that violated the plugin contract, by tier. */
  readonly violations: Readonly<Partial<Record<MemoryTier, number>>>;
  readonly eventsPublished: number;
}

class TypeMetrics {
  readonly outcomes: Partial<Record<OutcomeLabel, number>> = {};
  readonly latencyCounts = new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0);
  count = 0;
  sumMs = 0;

  add(outcome: OutcomeLabel, tookMs: number): void {
    this.count++;
    this.sumMs += tookMs;
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
    const fits = LATENCY_BOUNDS_MS.findIndex((bound) => tookMs <= bound);
    this.latencyCounts[fits === -1 ? LATENCY_BOUNDS_MS.length : fits]!++;
  }

  snapshot(): RequestStats {
    const latency = { sumMs: this.sumMs, counts: [...this.latencyCounts] };
    return { count: this.count, outcomes: { ...this.outcomes }, latency };
  }
}

/** Counters and latency histograms of one host since its start. */
export class Metrics {
  readonly #requests = new Map<TypeLabel, TypeMetrics>();
  readonly #dropped: Partial<Record<DropReason, number>> = {};
  readonly #refused: Record<string, number> = {};
  readonly #violations: Partial<Record<MemoryTier, number>> = {};
  #eventsPublished = 0;

  request(type: TypeLabel, outcome: OutcomeLabel, tookMs: number): void {
    const metrics = this.#requests.get(type) ?? new TypeMetrics();
    this.#requests.set(type, metrics);
    metrics.add(outcome, tookMs);
  }

  drop(reason: DropReason, count = 1): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + count;
  }

  /** @param cause one of a bounded set. */
  refuse(cause: string): void {
    this.#refused[cause] = (this.#refused[cause] ?? 0) + 1;
  }

  violation(tier: MemoryTier): void {
    this.#violations[tier] = (this.#violations[tier] ?? 0) + 1;
  }

  event(): void {
    this.#eventsPublished++;
  }

  forType(type: TypeLabel): RequestStats | undefined {
    return this.#requests.get(type)?.snapshot();
  }

  snapshot(): MetricsSnapshot {
    const requests = [...this.#requests].map(([type, metrics]) => [type, metrics.snapshot()] as const);
    return {
      requests: Object.fromEntries(requests),
      dropped: { ...this.#dropped },
      refused: { ...this.#refused },
      violations: { ...this.#violations },
      eventsPublished: this.#eventsPublished,
    };
  }
}
