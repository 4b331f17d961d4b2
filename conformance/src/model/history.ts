import type { Json } from "@membus/protocol";

/** Reply to one operation on one key. */
export type Answer =
  | {
      readonly kind: "wrote";
      readonly outcome: "created" | "updated" | "unchanged";
      readonly revision: number;
    }
  | { readonly kind: "superseded" }
  | { readonly kind: "conflict"; readonly revision: number }
  | { readonly kind: "read"; readonly content: Json; readonly revision: number }
  | { readonly kind: "absent" }
  | { readonly kind: "forgot"; readonly count: number };

/** One operation with its reply. `begin` and `end` are positions in the order of all starts and ends. */
export interface Event {
  readonly begin: number;
  readonly end: number;
  /** Content of a write. Absent for reads and forgets. */
  readonly content?: Json;
  /** The `if_revision` of a conditional write. */
  readonly ifRevision?: number;
  readonly answer: Answer;
}

interface State {
  /** Current revision, 0 while the key does not exist. */
  readonly revision: number;
  readonly content: Json;
  /** Highest revision that the key ever had. */
  readonly last: number;
}

const NOTHING: State = { revision: 0, content: null, last: 0 };

/**
 * Returns whether the operations on one key are linearisable.
 *
 * Each must be explained by one moment between its start and its end. Tries every order that the times
 * permit.
 */
export function isLinearisable(events: readonly Event[]): boolean {
  return search(events, NOTHING, new Set());
}

function search(open: readonly Event[], state: State, seen: Set<string>): boolean {
  if (open.length === 0) return true;
  const memo = `${state.revision}|${open.map(({ begin }) => begin).join()}`;
  if (seen.has(memo)) return false;
  seen.add(memo);
  const firstEnd = Math.min(...open.map(({ end }) => end));
  return open.some((event) => {
    const next = event.begin < firstEnd ? apply(event, state) : undefined;
    return (
      next !== undefined &&
      search(
        open.filter((other) => other !== event),
        next,
        seen,
      )
    );
  });
}

/** Returns the state after an event. Undefined if the reply is impossible in this state. */
function apply({ content = null, ifRevision, answer }: Event, state: State): State | undefined {
  const { revision } = state;
  switch (answer.kind) {
    // A concurrent forget deleted the entry before it became visible (clause STORE-8), so the state is
    // unchanged.
    case "superseded":
      return state;
    case "absent":
      return revision === 0 ? state : undefined;
    case "read":
      return revision === answer.revision && state.content === answer.content ? state : undefined;
    case "forgot":
      return answer.count === (revision === 0 ? 0 : 1) ? { ...NOTHING, last: state.last } : undefined;
    case "conflict":
      return ifRevision !== revision && answer.revision === revision ? state : undefined;
    case "wrote":
      return applyWrite(content, ifRevision, answer, state);
  }
}

function applyWrite(
  content: Json,
  ifRevision: number | undefined,
  { outcome, revision }: Extract<Answer, { kind: "wrote" }>,
  state: State,
): State | undefined {
  if (ifRevision !== undefined && ifRevision !== state.revision) return undefined;
  if (outcome === "unchanged") {
    return state.revision === revision && state.content === content ? state : undefined;
  }
  const isNew = state.revision === 0;
  if (isNew !== (outcome === "created") || revision <= state.last) return undefined;
  return { revision, content, last: revision };
}
