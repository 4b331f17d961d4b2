import type { ErrorCode, MemoryTier, RequestType } from "@membus/protocol";

/** Upper bounds of the latency classes, in milliseconds; a last class has none. */
export const LATENCY_BOUNDS_MS = Object.freeze([
  0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000,
]);

/** The labels of a request: its type where one could be read, and how it ended. All bounded. */
export type TypeLabel = RequestType | "unknown";
export type OutcomeLabel = "ok" | ErrorCode;

/** Why a message was dropped without an answer, or an answer or event was not sent. */
export type DropReason =
  | "reply_subject"
  | "unanswerable"
  | "flood"
  | "reply_failed"
  | "event_limit"
  | "event_failed";

export interface RequestStats {
  readonly count: number;
  /** Requests by outcome: `ok`, or the code of the error reply. */
  readonly outcomes: Readonly<Partial<Record<OutcomeLabel, number>>>;
  /** From receipt to reply. */
  readonly latency: {
    readonly sumMs: number;
    /** Requests per class of `LATENCY_BOUNDS_MS`, and one class more for the slower ones. */
    readonly counts: readonly number[];
  };
}

export interface MetricsSnapshot {
  readonly requests: Readonly<Partial<Record<TypeLabel, RequestStats>>>;
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
  /** Requests refused before they were read, by what there was too much of. */
  readonly refused: Readonly<Record<string, number>>;
  /** Results that a plugin returned against its contract, by tier. */
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

/** Counters and latency histograms of one host, since its start. */
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

  drop(reason: DropReason): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1;
  }

  /** `cause` is one of few. */
  refuse(cause: string): void {
    this.#refused[cause] = (this.#refused[cause] ?? 0) + 1;
  }

  violation(tier: MemoryTier): void {
    this.#violations[tier] = (this.#violations[tier] ?? 0) + 1;
  }

  event(): void {
    this.#eventsPublished++;
  }

  ofType(type: TypeLabel): RequestStats | undefined {
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
