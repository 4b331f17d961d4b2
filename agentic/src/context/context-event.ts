import type { Cost } from "../model/index.js";
import type { ProcessorName } from "./context-options.js";

/** Why a context is compacted: it has too many tokens, or a provider found a request too large. */
export type CompactionReason = "threshold" | "payload";

export interface ContextSize {
  readonly tokens: number;
  readonly messages: number;
}

export type Stage = ProcessorName | "sliding_window";

/** A processor that was to run and did not, or did nothing. */
export interface SkippedStage {
  readonly stage: Stage;
  readonly why: string;
}

/** How a compaction goes on: one "started", then one of the others. */
export type ContextEvent = {
  readonly conversation: string;
  readonly reason: CompactionReason;
  readonly before: ContextSize;
} & (
  | { readonly status: "started" }
  | ({ readonly status: "completed" } & CompactionOutcome)
  | { readonly status: "failed"; readonly error: unknown; readonly cost: Cost }
);

/** What became of a compaction; `cost.tookMs` is how long it took. */
export interface CompactionOutcome {
  readonly after: ContextSize;
  /** Those that have changed something, in their order. */
  readonly stages: readonly Stage[];
  readonly skipped: readonly SkippedStage[];
  readonly cost: Cost;
}
