import type { Operation } from "./operation.js";

/** Expected entry of a slot. The revision is unknown until a reply or a read contains it. */
export interface ExpectedEntry {
  readonly text: string;
  readonly revision?: number;
}

export type WriterState = ReadonlyMap<number, ExpectedEntry>;

/**
 * Kind of violation: an acknowledged entry is lost, an operation was applied twice, or a forgotten entry is
 * back.
 */
export type Breach = "lost" | "doubled" | "back";

export interface SlotBreach {
  readonly slot: number;
  readonly breach: Breach;
}

export function effectOf(operation: Operation, before: WriterState): WriterState {
  const after = new Map(before);
  if (operation.kind === "forget") for (const slot of operation.slots) after.delete(slot);
  else for (const { slot, text } of operation.writes) after.set(slot, { text });
  return after;
}

export function isState(expected: WriterState, observed: WriterState): boolean {
  return (
    expected.size === observed.size &&
    [...expected].every(([slot, was]) => isExpected(was, observed.get(slot)))
  );
}

/**
 * Returns the slots that match neither possible state of a writer: as acknowledged, or with the unanswered
 * request applied. If each slot matches one of them but all together match neither, the request was applied
 * in part.
 */
export function breachesOf(
  acknowledged: WriterState,
  effect: WriterState,
  observed: WriterState,
): SlotBreach[] {
  if (isState(acknowledged, observed) || isState(effect, observed)) return [];
  const slots = [...new Set([acknowledged, effect, observed].flatMap((state) => [...state.keys()]))];
  const found = slots.flatMap((slot): SlotBreach[] => {
    const breach = breachOf(acknowledged.get(slot), effect.get(slot), observed.get(slot));
    return breach === undefined ? [] : [{ slot, breach }];
  });
  if (found.length > 0) return found;
  const undone = slots.find((slot) => !isSlot(effect.get(slot), observed.get(slot)))!;
  return [{ slot: undone, breach: "lost" }];
}

function breachOf(
  acknowledged: ExpectedEntry | undefined,
  effect: ExpectedEntry | undefined,
  observed: ExpectedEntry | undefined,
): Breach | undefined {
  if (isSlot(acknowledged, observed) || isSlot(effect, observed)) return undefined;
  if (observed === undefined) return "lost";
  if (acknowledged === undefined) return "back";
  const isSameText = [acknowledged, effect].some((expected) => expected?.text === observed.text);
  // An overwritten text means that the later one is lost.
  return isSameText ? "doubled" : "lost";
}

function isSlot(expected: ExpectedEntry | undefined, observed: ExpectedEntry | undefined): boolean {
  return expected === undefined ? observed === undefined : isExpected(expected, observed);
}

function isExpected({ text, revision }: ExpectedEntry, observed: ExpectedEntry | undefined): boolean {
  return observed?.text === text && (revision === undefined || revision === observed.revision);
}
