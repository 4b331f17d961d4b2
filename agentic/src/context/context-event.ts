import type { Cost } from "../model/index.js";
import type { ProcessorName } from "./context-options.js";

/**
 * The reason for a compaction. "threshold": the context has too many tokens. "payload": a provider rejected a
 * request as too large.
 */
export type CompactionReason = "threshold" | "payload";

export interface ContextSize {
  readonly tokens: number;
  readonly messages: number;
}

export type Stage = ProcessorName | "sliding_window";

/** A processor that did not run or changed nothing. */
export interface SkippedStage {
  readonly stage: Stage;
  readonly reason: string;
}

/** Progress of a compaction: one "started" event, then one of the others. */
export type ContextEvent = {
  /** Agent and session of the client. */
  readonly agent: string;
  readonly session: string;
  readonly conversation: string;
  readonly reason: CompactionReason;
  readonly before: ContextSize;
} & (
  | { readonly status: "started" }
  | ({ readonly status: "completed" } & CompactionOutcome)
  | { readonly status: "failed"; readonly error: unknown; readonly cost: Cost }
);

/** The result of a compaction. `cost.tookMs` is its duration. */
export interface CompactionOutcome {
  readonly after: ContextSize;
  /** The processors that changed the view, in their order. */
  readonly stages: readonly Stage[];
  readonly skipped: readonly SkippedStage[];
  readonly cost: Cost;
}
