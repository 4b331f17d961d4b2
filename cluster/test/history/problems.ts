import { type Call, callText, type StoreCall } from "./call.js";
import { unexplainedCall } from "./linearize.js";

const EARLIER_SHOWN = 8;

/**
 * Returns the problems of the answers that the clients of one memory got: lost, doubled or returned entries, stale reads, and
 * revisions that do not grow.
 */
export function problemsOf(calls: readonly Call[]): string[] {
  const keys = new Set(calls.map(({ key }) => key));
  return [...keys].flatMap((key) => {
    const ofKey = calls.filter((call) => call.key === key);
    const unexplained = unexplainedCall(ofKey);
    return [
      ...(unexplained === undefined ? [] : [`no order explains ${withEarlier(unexplained, ofKey)}`]),
      ...revisionProblems(ofKey),
      ...supersededProblems(ofKey),
    ];
  });
}

/** Returns the text of a call, and of the calls before it. */
function withEarlier(call: Call, calls: readonly Call[]): string {
  const earlier = calls
    .filter(({ startMs }) => startMs < call.startMs)
    .toSorted((a, b) => b.startMs - a.startMs);
  return [call, ...earlier.slice(0, EARLIER_SHOWN)].map(callText).join("\n  after ");
}

/** A store that begins after another ended has a larger revision. */
function revisionProblems(calls: readonly Call[]): string[] {
  const stores = calls.filter((call): call is StoreCall => call.kind === "store" && call.endMs !== undefined);
  const byStart = stores.toSorted((a, b) => a.startMs - b.startMs);
  const byEnd = stores.toSorted((a, b) => a.endMs! - b.endMs!);
  const problems: string[] = [];
  let [ended, newest] = [0, 0];
  for (const store of byStart) {
    for (; byEnd[ended]!.endMs! < store.startMs; ended++) newest = Math.max(newest, byEnd[ended]!.revision!);
    if (store.revision! <= newest) problems.push(`a revision is not above ${newest}: ${callText(store)}`);
  }
  return problems;
}

/** A store is superseded only by a forget at the same time. */
function supersededProblems(calls: readonly Call[]): string[] {
  const superseded = calls.filter((call) => call.kind === "store" && call.outcome === "superseded");
  const alone = superseded.filter(
    (store) =>
      !calls.some(
        ({ kind, startMs, endMs = Number.POSITIVE_INFINITY }) =>
          kind === "forget" && startMs < store.endMs! && endMs > store.startMs,
      ),
  );
  return alone.map((store) => `no forget supersedes ${callText(store)}`);
}
