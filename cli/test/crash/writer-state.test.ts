import { describe, expect, it } from "vitest";
import type { Operation } from "./kill-loop/operation.js";
import { breachesOf, effectOf, type WriterState } from "./kill-loop/writer-state.js";

const state = (...entries: [number, string, number?][]): WriterState =>
  new Map(entries.map(([slot, text, revision]) => [slot, { text, ...(revision && { revision }) }]));

const store = (...slots: number[]): Operation => ({
  kind: "store",
  id: "a",
  ack: "stored",
  writes: slots.map((slot) => ({ slot, text: "new" })),
});

/** Acknowledged state, request in flight, state found after the kill, and expected violations. */
const FOUND: [string, WriterState, Operation | undefined, WriterState, unknown[]][] = [
  ["as acknowledged", state([1, "old", 7]), store(1), state([1, "old", 7]), []],
  [
    "with the request in flight applied",
    state([1, "old", 7]),
    store(1, 2),
    state([1, "new", 9], [2, "new", 9]),
    [],
  ],
  ["nothing", state([1, "old", 7]), undefined, state(), [{ slot: 1, breach: "lost" }]],
  [
    "an overwritten text",
    state([1, "old", 7]),
    store(1),
    state([1, "older", 3]),
    [{ slot: 1, breach: "lost" }],
  ],
  ["a forgotten entry", state(), undefined, state([1, "old", 7]), [{ slot: 1, breach: "back" }]],
  ["stored twice", state([1, "old", 7]), undefined, state([1, "old", 8]), [{ slot: 1, breach: "doubled" }]],
  ["half of a batch", state([1, "old", 7]), store(1, 2), state([1, "new", 9]), [{ slot: 2, breach: "lost" }]],
];

describe("a writer after a kill", () => {
  it.each(FOUND)("found %s", (_, acknowledged, inFlight, observed, breaches) => {
    const effect = inFlight === undefined ? acknowledged : effectOf(inFlight, acknowledged);
    expect(breachesOf(acknowledged, effect, observed)).toEqual(breaches);
  });
});
