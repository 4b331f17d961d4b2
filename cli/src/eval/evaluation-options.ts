import type { MemoryTier, RetrieveMode } from "@membus/protocol";

/** How documents become entries, and questions requests. */
export interface EvaluationOptions {
  /** @default "episodic" */
  readonly tier: MemoryTier;
  /** @default "hybrid" */
  readonly mode: RetrieveMode;
  /**
   * A document's `conv` is its namespace; otherwise all are in one, and every question asks all of it.
   * @default true
   */
  readonly namespaces: boolean;
  /**
   * A document's `session` is its group.
   * @default true
   */
  readonly groups: boolean;
  /**
   * A document's `date` is its `occurred_at`.
   * @default true
   */
  readonly dates: boolean;
  /**
   * How many documents before it in its session are its context, 0..20.
   * @default 2
   */
  readonly contextTurns: number;
  /**
   * Scores questions with `main: false` too, where they name documents.
   * @default false
   */
  readonly all: boolean;
}

export const EVALUATION_DEFAULTS: EvaluationOptions = Object.freeze<EvaluationOptions>({
  tier: "episodic",
  mode: "hybrid",
  namespaces: true,
  groups: true,
  dates: true,
  contextTurns: 2,
  all: false,
});
