import type { Call } from "./call.js";

/** Contents of a key: the last stored value, or null. */
type State = { readonly value: number; readonly revision: number | undefined } | null;

/** Part of an order: all answered calls before `from`, and the calls in `ahead`. */
interface Step {
  readonly from: number;
  readonly ahead: readonly number[];
  /** Calls without an answer that had an effect. */
  readonly unanswered: readonly number[];
  readonly state: State;
}

/**
 * Looks for an order of the calls on one key that explains all answers. Each call has its effect at one moment
 * between its beginning and its end (linearizability). It searches as Wing and Gong do, with the memory of Lowe.
 * @returns undefined, or the first call that no order explains.
 */
export function unexplainedCall(calls: readonly Call[]): Call | undefined {
  const answered = calls.filter(({ endMs }) => endMs !== undefined).toSorted((a, b) => a.startMs - b.startMs);
  const open = calls.filter(({ endMs }) => endMs === undefined);
  const seen = new Set<string>();
  const steps: Step[] = [{ from: 0, ahead: [], unanswered: [], state: null }];
  let furthest = 0;
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (step.from === answered.length) return undefined;
    furthest = Math.max(furthest, step.from);
    for (const next of nextSteps(step, answered, open)) {
      const name = JSON.stringify(next);
      if (!seen.has(name)) steps.push(next);
      seen.add(name);
    }
  }
  return answered[furthest];
}

function* nextSteps(step: Step, answered: readonly Call[], open: readonly Call[]): Generator<Step> {
  const endMs = earliestEnd(step, answered);
  for (const [index, call] of open.entries()) {
    if (call.startMs > endMs || step.unanswered.includes(index)) continue;
    const state = after(step.state, call);
    if (state !== undefined) yield { ...step, unanswered: [...step.unanswered, index].toSorted(), state };
  }
  for (let index = step.from; index < answered.length && answered[index]!.startMs <= endMs; index++) {
    if (step.ahead.includes(index)) continue;
    const state = after(step.state, answered[index]!);
    if (state !== undefined) yield { ...step, ...withCall(step, index), state };
  }
}

/** The next call of the order begins before any other ends. */
function earliestEnd({ from, ahead }: Step, answered: readonly Call[]): number {
  let endMs = Number.POSITIVE_INFINITY;
  for (let index = from; index < answered.length && answered[index]!.startMs <= endMs; index++)
    if (!ahead.includes(index)) endMs = Math.min(endMs, answered[index]!.endMs!);
  return endMs;
}

function withCall({ from, ahead }: Step, index: number): Pick<Step, "from" | "ahead"> {
  const done = new Set([...ahead, index]);
  let first = from;
  while (done.delete(first)) first++;
  return { from: first, ahead: [...done].toSorted((a, b) => a - b) };
}

/** Returns the contents after a call, or undefined if its answer is wrong for these contents. */
function after(state: State, call: Call): State | undefined {
  if (call.kind === "store") {
    if (call.outcome === "superseded") return state;
    const isExplained =
      call.outcome === undefined || call.outcome === (state === null ? "created" : "updated");
    return isExplained ? { value: call.value, revision: call.revision } : undefined;
  }
  if (call.kind === "forget") {
    const isExplained = call.deleted === undefined || call.deleted === (state === null ? 0 : 1);
    return isExplained ? null : undefined;
  }
  const isExplained = call.value === (state?.value ?? null) && isSameRevision(call.revision, state);
  return isExplained ? state : undefined;
}

/** A store without an answer has no known revision. */
function isSameRevision(revision: number | undefined, state: State): boolean {
  return state?.revision === undefined || revision === undefined || revision === state.revision;
}
