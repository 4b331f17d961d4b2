import type { MemoryTier, RetrieveMode } from "@membus/protocol";

/** How documents become entries, and questions become requests. */
export interface EvaluationOptions {
  /** @default "episodic" */
  readonly tier: MemoryTier;
  /** @default "hybrid" */
  readonly mode: RetrieveMode;
  /**
   * Store each `conv` in its own namespace. Otherwise all documents share one, and every question searches
   * all of it.
   * @default true
   */
  readonly namespaces: boolean;
  /**
   * Use the `session` of a document as its group.
   * @default true
   */
  readonly groups: boolean;
  /**
   * Use the `date` of a document as its `occurred_at`.
   * @default true
   */
  readonly dates: boolean;
  /**
   * Number of preceding documents of the session that are stored as context, 0..20.
   * @default 2
   */
  readonly contextTurns: number;
  /**
   * Also score questions with `main: false`, if they name documents.
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
