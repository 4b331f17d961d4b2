import { randomUUID } from "node:crypto";
import type { AgentMemory } from "@membus/agent-client";
import { type Clock, type Json, systemClock } from "@membus/protocol";
import { fromJson } from "./item-json.js";
import { firstWithin, itemsOf, SessionLog } from "./session-log.js";
import { resolveSessionOptions, type SessionOptions } from "./session-options.js";
import {
  changeBy,
  changeByMutations,
  type HistoryMutation,
  type HistoryTransactionArgs,
  operationOf,
  toJsonList,
} from "./transaction.js";

/** An item of a history; `AgentInputItem` of `@openai/agents` is one. */
export type AgentItem = object;

/**
 * A session of `@openai/agents` over membus: the history of one conversation, for any number of processes at once. Every change
 * is made as a whole, over all that others have changed before, but for what README says of numbers that are freed. Items are
 * copied, and are what JSON makes of them; bytes stay bytes.
 *
 * Methods reject with `MemoryError` for what the bus or the host reports, and "conflict" where others are faster `attemptsMax`
 * times. `Item` is the framework's type of items.
 */
export class MembusSession<Item extends AgentItem = AgentItem> {
  readonly #id: string;
  readonly #log: SessionLog;

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(memory: AgentMemory, options: SessionOptions = {}, clock: Clock = systemClock) {
    const resolved = resolveSessionOptions({ ...options, sessionId: options.sessionId ?? randomUUID() });
    this.#id = resolved.sessionId;
    this.#log = new SessionLog(this.#id, memory, resolved, clock);
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  /** The latest `limit` items in their order, all without it; none for 0 and less. */
  async getItems(limit?: number): Promise<Item[]> {
    if (limit !== undefined && limit <= 0) return [];
    const items = itemsOf(await this.#log.live());
    return (limit === undefined ? items : items.slice(-limit)).map(itemOf<Item>);
  }

  async addItems(items: readonly Item[]): Promise<void> {
    if (items.length > 0) await this.#log.append(toJsonList(items));
  }

  /** Takes the latest item away. @returns it, or undefined where there is none. */
  async popItem(): Promise<Item | undefined> {
    let popped: Json | undefined;
    await this.#log.change((live) => {
      popped = itemsOf(live).at(-1);
      if (popped === undefined) return undefined;
      const kept = firstWithin(live, 1);
      return { kept, items: itemsOf(live.slice(kept)).slice(0, -1) };
    });
    return popped === undefined ? undefined : itemOf<Item>(popped);
  }

  /** Forgets all items, and which transactions there were. An entry without items stays. */
  async clearSession(): Promise<void> {
    await this.#log.change((live) => (live.length === 0 ? undefined : { kept: 0, items: [], isReset: true }));
  }

  /** Replaces calls in the history, in all their places at once. */
  async applyHistoryMutations({
    mutations,
  }: {
    readonly mutations: readonly HistoryMutation[];
  }): Promise<void> {
    if (mutations.length > 0) await this.#log.change((live) => changeByMutations(mutations, live));
  }

  /**
   * Appends items, or replaces those at the end where they are as expected: once, however often it is called with the same
   * `operationId`.
   * @throws {SessionHistoryError} where that id was another transaction's, or the history ends otherwise.
   */
  async applyHistoryTransaction(args: HistoryTransactionArgs): Promise<void> {
    const operation = operationOf(args);
    await this.#log.change((live) => changeBy(args, operation, live));
  }

  /** Puts these items in place of all that there are, at once: never is there neither the old history nor the new. */
  async replaceHistoryWithCompaction(items: readonly Item[]): Promise<void> {
    const replacement = toJsonList(items);
    await this.#log.change(() => ({ kept: 0, items: replacement }));
  }
}

function itemOf<Item>(item: Json): Item {
  return fromJson(item) as Item;
}
