import { randomInt } from "node:crypto";
import type { ForgetResult, StoreResult } from "@membus/agent-client";
import { expect } from "vitest";
import { type Operation, type Owner, type Reply, randomOperation, send } from "./operation.js";

/** What stands in one slot. The revision is unknown until a reply or a read has told it. */
interface Standing {
  readonly text: string;
  readonly revision?: number;
}

export type LaneState = ReadonlyMap<number, Standing>;

interface Answered {
  readonly operation: Operation;
  readonly reply: Reply;
}

/** Old ones are asked again, too, but not all of them. */
const REMEMBERED_MAX = 40;

/**
 * One writer with keys of its own, one request at a time, and its journal: what was acknowledged, and the one request
 * that may not have been answered. So there are two states at most that the host may be found in.
 */
export class Lane {
  readonly owner: Owner;
  #acknowledged: LaneState = new Map();
  #unanswered: Operation | undefined;
  readonly #answered: Answered[] = [];

  constructor(owner: Owner) {
    this.owner = owner;
  }

  get size(): number {
    return this.#acknowledged.size;
  }

  /** Writes until `signal` is aborted, which leaves the last request unanswered. */
  async write(signal: AbortSignal, onAcknowledged: () => void): Promise<void> {
    while (!signal.aborted) {
      this.#unanswered = randomOperation();
      try {
        await this.#send(this.#unanswered, signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      onAcknowledged();
    }
  }

  /** Requires one of the two states; which of them is certain then. */
  expectState(observed: LaneState): void {
    const possible = [this.#acknowledged];
    if (this.#unanswered !== undefined) possible.push(effectOf(this.#unanswered, this.#acknowledged));
    if (!possible.some((state) => matches(state, observed))) {
      const { lane, tier } = this.owner;
      expect(dump(observed), `${tier} ${lane}`).toEqual(dump(possible[0]!));
    }
    this.#acknowledged = observed;
  }

  /** Sends what was not answered again, or, as often, lets it be. */
  async settle(): Promise<void> {
    const operation = this.#unanswered;
    if (operation !== undefined && randomInt(2) === 0) {
      const wasDone = matches(effectOf(operation, this.#acknowledged), this.#acknowledged);
      if (wasDone) await this.#sendDone(operation);
      else await this.#send(operation);
    }
    this.#unanswered = undefined;
  }

  /** Requires the first reply to requests that were answered once. */
  async repeatAnswered(count: number): Promise<void> {
    for (let n = 0; n < Math.min(count, this.#answered.length); n++) {
      const { operation, reply } = this.#answered[randomInt(this.#answered.length)]!;
      expect(await send(operation, this.owner)).toEqual(reply);
    }
  }

  async #send(operation: Operation, signal?: AbortSignal): Promise<void> {
    const before = this.#acknowledged;
    const reply = await send(operation, this.owner, { signal });
    this.#unanswered = undefined;
    expectReply(operation, reply, before);
    this.#acknowledged = withRevisions(effectOf(operation, before), operation, reply);
    this.#remember({ operation, reply });
  }

  /** The effect is there already: its reply has to tell of that one, not of another. */
  async #sendDone(operation: Operation): Promise<void> {
    const reply = await send(operation, this.owner);
    expect(withRevisions(this.#acknowledged, operation, reply)).toEqual(this.#acknowledged);
    this.#remember({ operation, reply });
  }

  #remember(answered: Answered): void {
    this.#answered.push(answered);
    if (this.#answered.length > REMEMBERED_MAX) this.#answered.shift();
  }
}

function effectOf(operation: Operation, before: LaneState): LaneState {
  const after = new Map(before);
  if (operation.kind === "forget") for (const slot of operation.slots) after.delete(slot);
  else for (const { slot, text } of operation.writes) after.set(slot, { text });
  return after;
}

function matches(expected: LaneState, observed: LaneState): boolean {
  return (
    expected.size === observed.size &&
    [...expected].every(([slot, { text, revision }]) => {
      const found = observed.get(slot);
      return found?.text === text && (revision === undefined || revision === found.revision);
    })
  );
}

/** Counts and outcomes follow from the state before, because nobody else writes to these keys. */
function expectReply(operation: Operation, reply: Reply, before: LaneState): void {
  if (operation.kind === "forget") {
    const standing = operation.slots.filter((slot) => before.has(slot)).length;
    expect((reply as ForgetResult).deleted).toBe(standing);
    return;
  }
  const { receipts, errors } = reply as StoreResult;
  expect(errors).toEqual([]);
  const outcomes = operation.writes.map(({ slot }) => (before.has(slot) ? "updated" : "created"));
  const expected = operation.ack === "queued" ? outcomes.map(() => "queued") : outcomes;
  expect(receipts.map(({ outcome }) => outcome)).toEqual(expected);
}

function withRevisions(state: LaneState, operation: Operation, reply: Reply): LaneState {
  if (operation.kind === "forget") return state;
  const after = new Map(state);
  for (const [index, { slot, text }] of operation.writes.entries()) {
    const { revision } = (reply as StoreResult).receipts[index]!;
    expect(revision).toBeGreaterThan(0);
    after.set(slot, { text, revision: revision! });
  }
  return after;
}

/** Short enough to read in a failure. */
function dump(state: LaneState): unknown[] {
  return [...state]
    .sort(([a], [b]) => a - b)
    .map(([slot, { text, revision }]) => [slot, text.slice(0, 40), revision]);
}
