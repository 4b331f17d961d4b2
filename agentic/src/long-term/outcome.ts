import type { Cost } from "../model/index.js";

/**
 * What became of something that was to be remembered. "new", and the fact stands beside the others; "updated", "extended"
 * and "superseded", and it takes the place of `replaced`, which said it wrongly, said less of it, or is true no more;
 * "duplicate", and `id` says it already; "refused", and nothing was written.
 */
export type OutcomeName = "new" | "updated" | "extended" | "duplicate" | "superseded" | "refused";

export interface RecordOutcome {
  readonly outcome: OutcomeName;
  /** What is remembered, or would have been. */
  readonly text: string;
  /** The memory that says it now; absent for what was refused. */
  readonly id?: string | undefined;
  /** The fact that is not current any more. */
  readonly replaced?: string | undefined;
  /** Without a model's decision: facts that may say the same, the most alike first. They were not touched. */
  readonly similar?: readonly SimilarFact[] | undefined;
  /** It is in quarantine, until it is promoted. */
  readonly quarantined?: true | undefined;
  /** Why it was refused: a code, a colon and words. */
  readonly reason?: string | undefined;
}

export interface SimilarFact {
  readonly id: string;
  readonly text: string;
  /** 0..1, as of a retrieve. */
  readonly score: number;
}

export interface RecordResult {
  /** One for each input, or for each fact that was found in messages, in their order. */
  readonly outcomes: readonly RecordOutcome[];
  readonly cost: Cost;
}

export function refused(text: string, reason: string): RecordOutcome {
  return { outcome: "refused", text, reason };
}
