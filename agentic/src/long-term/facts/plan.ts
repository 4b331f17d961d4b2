import type { OutcomeName, SimilarFact } from "../outcome.js";
import type { Candidate, Fact } from "./fact.js";
import type { Slot } from "./look-up.js";

/** A candidate on its way, and where its outcome belongs. */
export interface Pending {
  readonly index: number;
  readonly candidate: Candidate;
  /** It stands already; what it was to replace was changed by somebody else, and is decided about again. */
  readonly writtenId?: string | undefined;
}

/** A candidate beside what there is: facts that are related, the most first, and never itself. */
export interface Looked {
  readonly pending: Pending;
  readonly slot: Slot;
  readonly neighbours: readonly Fact[];
}

/** What is to be done with a candidate. */
export interface Plan {
  readonly pending: Pending;
  readonly outcome: Exclude<OutcomeName, "refused">;
  /** What is written: the candidate's words, or what a model made of them and of the target's. */
  readonly candidate: Candidate;
  /** Of that text. */
  readonly slot: Slot;
  /** The fact that says it already, or whose place it takes. */
  readonly target?: Fact | undefined;
  readonly similar?: readonly SimilarFact[] | undefined;
}

export function planNew({ pending, slot }: Looked, similar?: readonly SimilarFact[]): Plan {
  return { pending, outcome: "new", candidate: pending.candidate, slot, ...(similar?.length && { similar }) };
}

export function planDuplicate({ pending, slot }: Looked, target: Fact): Plan {
  return { pending, outcome: "duplicate", candidate: pending.candidate, slot, target };
}
