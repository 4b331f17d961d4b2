import { randomUUID } from "node:crypto";
import type { AgentMemory } from "@membus/agent-client";
import { type Clock, type Json, parseOptions, systemClock } from "@membus/protocol";
import { fromJson } from "./item-json.js";
import { firstWithin, itemsOf, SessionLog } from "./session-log.js";
import { type SessionOptions, SessionOptionsSchema } from "./session-options.js";
import {
  changeBy,
  changeByMutations,
  type HistoryMutation,
  type HistoryTransactionArgs,
  operationOf,
  toJsonList,
} from "./transaction.js";

/** An item of a history, such as `AgentInputItem` of `@openai/agents`. */
export type AgentItem = object;

/**
 * A session of `@openai/agents` over membus: the history of one conversation, shared by any number of
 * processes. Every change is atomic and applies to all earlier changes, except for reused numbers as
 * described in the guide. Items are copied as JSON. Bytes stay bytes.
 *
 * Methods reject with `MemoryError` for errors of the bus or the host, and with "conflict" after
 * `attemptsMax` concurrent changes. `Item` is the framework's type of items.
 */
export class MembusSession<Item extends AgentItem = AgentItem> {
  readonly #id: string;
  readonly #log: SessionLog;

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(memory: AgentMemory, options: SessionOptions = {}, clock: Clock = systemClock) {
    const resolved = parseOptions(SessionOptionsSchema, options);
    this.#id = resolved.sessionId ?? randomUUID();
    this.#log = new SessionLog(memory, this.#id, resolved, clock);
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  /** Returns the latest `limit` items in order. Without `limit` all, for 0 or less none. */
  async getItems(limit?: number): Promise<Item[]> {
    if (limit !== undefined && limit <= 0) return [];
    const items = itemsOf(await this.#log.live());
    return (limit === undefined ? items : items.slice(-limit)).map(itemOf<Item>);
  }

  async addItems(items: readonly Item[]): Promise<void> {
    if (items.length > 0) await this.#log.append(toJsonList(items));
  }

  /** Removes and returns the latest item. undefined if there is none. */
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

  /** Forgets all items and applied transactions. One entry without items stays. */
  async clearSession(): Promise<void> {
    await this.#log.change((live) => (live.length === 0 ? undefined : { kept: 0, items: [], isReset: true }));
  }

  /** Replaces calls in the history, all in one change. */
  async applyHistoryMutations({
    mutations,
  }: {
    readonly mutations: readonly HistoryMutation[];
  }): Promise<void> {
    if (mutations.length > 0) await this.#log.change((live) => changeByMutations(mutations, live));
  }

  /**
   * Appends items, or replaces the last items if they are as expected. Has one effect, however often it is
   * called with the same `operationId`.
   * @throws {SessionHistoryError} if another transaction has this id, or the history ends differently.
   */
  async applyHistoryTransaction(args: HistoryTransactionArgs): Promise<void> {
    const operation = operationOf(args);
    await this.#log.change((live) => changeBy(args, operation, live));
  }

  /** Replaces the whole history by these items in one change. */
  async replaceHistoryWithCompaction(items: readonly Item[]): Promise<void> {
    const replacement = toJsonList(items);
    await this.#log.change(() => ({ kept: 0, items: replacement }));
  }
}

function itemOf<Item>(item: Json): Item {
  return fromJson(item) as Item;
}
