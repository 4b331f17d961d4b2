import type { Cost } from "../model/index.js";

/**
 * The outcome of a record.
 * - "new": a new fact was added.
 * - "updated", "extended", "superseded": it replaces the fact `replaced`, which was incorrect, less
 *   detailed, or is no longer true.
 * - "duplicate": the memory `id` already contains it.
 * - "refused": nothing was written.
 */
export type OutcomeName = "new" | "updated" | "extended" | "duplicate" | "superseded" | "refused";

export interface RecordOutcome {
  readonly outcome: OutcomeName;
  /** The recorded text, or the refused one. */
  readonly text: string;
  /** Id of the memory with this content. Absent if refused. */
  readonly id?: string | undefined;
  /** Id of the fact that is no longer current. */
  readonly replaced?: string | undefined;
  /** Facts that may mean the same, the most similar first, if no model decided. They are unchanged. */
  readonly similar?: readonly SimilarFact[] | undefined;
  /** True if it is in quarantine until it is promoted. */
  readonly quarantined?: true | undefined;
  /** Reason of a refusal: a code, a colon and a message. */
  readonly reason?: string | undefined;
}

export interface SimilarFact {
  readonly id: string;
  readonly text: string;
  /** 0..1, as in a retrieve. */
  readonly score: number;
}

export interface RecordResult {
  /** One outcome for each input, or for each fact extracted from messages, in order. */
  readonly outcomes: readonly RecordOutcome[];
  readonly cost: Cost;
}

export function refused(text: string, reason: string): RecordOutcome {
  return { outcome: "refused", text, reason };
}
