import { deepStrictEqual } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { ForgetResult, StoreResult } from "@membus/agent-client";
import type { Chance } from "./chance.js";
import type { Findings } from "./findings.js";
import { type Operation, type Owner, type Reply, randomOperation, send } from "./operation.js";
import { type Breach, breachesOf, effectOf, isState, type WriterState } from "./writer-state.js";

interface Answered {
  readonly operation: Operation;
  readonly reply: Reply;
}

/** Maximum number of answered requests that are repeated. */
const REMEMBERED_MAX = 40;

/**
 * A writer with its own keys and one request at a time. Its journal contains the acknowledged state and the
 * one request that may be unanswered. The host must therefore be in one of two states.
 */
export class Writer {
  readonly owner: Owner;
  readonly #chance: Chance;
  readonly #findings: Findings;
  #acknowledged: WriterState = new Map();
  #unanswered: Operation | undefined;
  readonly #answered: Answered[] = [];
  /** Slots that were ever written by an acknowledged store. If they are empty now, they were forgotten. */
  readonly #everWritten = new Set<number>();

  constructor(owner: Owner, chance: Chance, findings: Findings) {
    this.owner = owner;
    this.#chance = chance;
    this.#findings = findings;
  }

  get size(): number {
    return this.#acknowledged.size;
  }

  /** Writes until `signal` is aborted, which leaves the last request unanswered. */
  async write(signal: AbortSignal, onAcknowledged: () => void): Promise<void> {
    while (!signal.aborted) {
      this.#unanswered = randomOperation(this.#chance);
      try {
        await this.#send(this.#unanswered, signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      onAcknowledged();
    }
  }

  /** Checks that the observed state is one of the two possible ones, and keeps that one. */
  verify(observed: WriterState): void {
    const effect =
      this.#unanswered === undefined ? this.#acknowledged : effectOf(this.#unanswered, this.#acknowledged);
    for (const { slot, breach } of breachesOf(this.#acknowledged, effect, observed)) {
      const states = [this.#acknowledged, effect, observed].map((state) => dump(state, slot));
      this.#found(breach, `slot ${slot}: ${states[0]} or ${states[1]}, found ${states[2]}`);
    }
    this.#findings.presences += observed.size;
    this.#findings.absences += [...this.#everWritten].filter((slot) => !observed.has(slot)).length;
    this.#acknowledged = observed;
  }

  /** Repeats or drops the unanswered request with equal probability. */
  async settle(): Promise<void> {
    const operation = this.#unanswered;
    if (operation !== undefined && this.#chance.int(2) === 0) {
      const wasDone = isState(effectOf(operation, this.#acknowledged), this.#acknowledged);
      if (wasDone) await this.#sendDone(operation);
      else await this.#send(operation);
    }
    this.#unanswered = undefined;
  }

  /** Repeats answered requests and expects their first reply. */
  async repeatAnswered(count: number): Promise<void> {
    for (let n = 0; n < Math.min(count, this.#answered.length); n++) {
      const { operation, reply } = this.#chance.one(this.#answered);
      const again = await send(operation, this.owner);
      if (isDeepStrictEqual(again, reply)) continue;
      this.#found("doubled", `${operation.kind} ${operation.id}: ${shown(reply)}, then ${shown(again)}`);
    }
  }

  async #send(operation: Operation, signal?: AbortSignal): Promise<void> {
    const before = this.#acknowledged;
    const reply = await send(operation, this.owner, { signal });
    this.#unanswered = undefined;
    for (const breach of replyBreaches(operation, reply, before)) {
      this.#found(breach, `${operation.kind} ${operation.id} was answered ${shown(reply)}`);
    }
    this.#acknowledged = withRevisions(effectOf(operation, before), operation, reply);
    this.#remember({ operation, reply });
  }

  /** Repeats a request after its effect has become visible. The reply must describe that effect. */
  async #sendDone(operation: Operation): Promise<void> {
    const reply = await send(operation, this.owner);
    if (!isDeepStrictEqual(withRevisions(this.#acknowledged, operation, reply), this.#acknowledged)) {
      this.#found("doubled", `${operation.kind} ${operation.id}: ${shown(reply)}`);
    }
    this.#remember({ operation, reply });
  }

  #remember(answered: Answered): void {
    this.#answered.push(answered);
    if (this.#answered.length > REMEMBERED_MAX) this.#answered.shift();
    const { operation } = answered;
    if (operation.kind === "store") for (const { slot } of operation.writes) this.#everWritten.add(slot);
  }

  #found(breach: Breach, what: string): void {
    this.#findings.found(breach, `${this.owner.tier} ${this.owner.writer}: ${what}`);
  }
}

/**
 * Returns violations in a reply. Counts and outcomes follow from the previous state, because no other writer
 * uses these keys.
 */
function replyBreaches(operation: Operation, reply: Reply, before: WriterState): Breach[] {
  if (operation.kind === "forget") {
    const expected = operation.slots.filter((slot) => before.has(slot)).length;
    const { deleted } = reply as ForgetResult;
    if (deleted === expected) return [];
    return deleted < expected ? ["lost"] : ["back"];
  }
  const { receipts, errors } = reply as StoreResult;
  deepStrictEqual(errors, [], "a store was refused");
  return operation.writes.flatMap(({ slot }, index) => {
    const { outcome } = receipts[index]!;
    const due = operation.ack === "queued" ? "queued" : before.has(slot) ? "updated" : "created";
    if (outcome === due) return [];
    return before.has(slot) ? ["lost"] : ["back"];
  });
}

function withRevisions(state: WriterState, operation: Operation, reply: Reply): WriterState {
  if (operation.kind === "forget") return state;
  const after = new Map(state);
  for (const [index, { slot, text }] of operation.writes.entries()) {
    const { revision } = (reply as StoreResult).receipts[index]!;
    after.set(slot, { text, revision: revision! });
  }
  return after;
}

/** Formats a slot briefly for failure messages. */
function dump(state: WriterState, slot: number): string {
  const expected = state.get(slot);
  return expected === undefined ? "nothing" : `${expected.text.slice(0, 40)} (${expected.revision ?? "?"})`;
}

function shown(reply: Reply): string {
  return JSON.stringify(reply).slice(0, 300);
}
