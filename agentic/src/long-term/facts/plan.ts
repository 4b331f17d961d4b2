import type { OutcomeName, SimilarFact } from "../outcome.js";
import type { Candidate, Fact } from "./fact.js";
import type { Slot } from "./look-up.js";

/** A candidate in progress, with the index of its outcome. */
export interface PendingCandidate {
  readonly index: number;
  readonly candidate: Candidate;
  /**
   * Id of the fact that is already stored. The fact that it was to replace changed concurrently, so that
   * decision is repeated.
   */
  readonly writtenId?: string | undefined;
}

/** A candidate with its lookup result and similar facts, the most similar first, without itself. */
export interface ComparedCandidate {
  readonly pending: PendingCandidate;
  readonly slot: Slot;
  readonly neighbours: readonly Fact[];
}

/** The decision about a candidate. */
export interface Plan {
  readonly pending: PendingCandidate;
  readonly outcome: Exclude<OutcomeName, "refused">;
  /** The text to store: the candidate's, or a text that a model merged from it and the target. */
  readonly candidate: Candidate;
  /** Lookup result for that text. */
  readonly slot: Slot;
  /** The duplicate of the candidate, or the fact that it replaces. */
  readonly target?: Fact | undefined;
  readonly similar?: readonly SimilarFact[] | undefined;
}

export function planNew({ pending, slot }: ComparedCandidate, similar?: readonly SimilarFact[]): Plan {
  return { pending, outcome: "new", candidate: pending.candidate, slot, ...(similar?.length && { similar }) };
}

export function planDuplicate({ pending, slot }: ComparedCandidate, target: Fact): Plan {
  return { pending, outcome: "duplicate", candidate: pending.candidate, slot, target };
}
