import type { ViewItem } from "./view.js";

/**
 * Maps each tool result to the index of the message with its call (the nearest one before it). -1: no such
 * message.
 */
function callsOf(items: readonly ViewItem[]): Map<number, number> {
  const latest = new Map<string, number>();
  const calls = new Map<number, number>();
  for (const [index, { raw }] of items.entries()) {
    if (raw.role === "assistant") for (const { id } of raw.tool_calls ?? []) latest.set(id, index);
    if (raw.role === "tool") calls.set(index, latest.get(raw.tool_call_id ?? "") ?? -1);
  }
  return calls;
}

/** Removes tool results without their call, because providers reject them. */
export function withoutOrphans(items: readonly ViewItem[]): ViewItem[] {
  const calls = callsOf(items);
  return items.filter((_, index) => calls.get(index) !== -1);
}

/**
 * Groups messages that must stay together: a call with its results. Other messages form their own group.
 * Ordered by the position of the last message.
 */
export function unitsOf(items: readonly ViewItem[]): ViewItem[][] {
  const calls = callsOf(items);
  const units = new Map<number, number[]>();
  for (const index of items.keys()) {
    const call = calls.get(index);
    if (call === undefined || call === -1) units.set(index, [index]);
    else units.get(call)!.push(index);
  }
  return [...units.values()]
    .sort((a, b) => a.at(-1)! - b.at(-1)!)
    .map((unit) => unit.map((index) => items[index]!));
}

/**
 * Returns the index of the first message that stays unchanged: the n-th newest assistant message, or an
 * earlier message with the call of a later tool result. 0 if there is no assistant message.
 */
export function protectedStart(items: readonly ViewItem[], rounds: number): number {
  let left = rounds;
  let start = items.length;
  while (start > 0 && left > 0) {
    start--;
    if (items[start]!.raw.role === "assistant") left--;
  }
  if (!items.some(({ raw }) => raw.role === "assistant")) return 0;
  return closedStart(items, start);
}

function closedStart(items: readonly ViewItem[], start: number): number {
  const calls = callsOf(items);
  let closed = start;
  for (let index = items.length - 1; index >= closed; index--) {
    const call = calls.get(index);
    if (call !== undefined && call !== -1) closed = Math.min(closed, call);
  }
  return closed;
}
