import { randomUUID } from "node:crypto";
import type { AgentMemory } from "@membus/agent-client";
import { delay, type MemoryTier, type StoreReceipt, systemClock } from "@membus/protocol";
import { expect } from "vitest";

/** A writer that continues while host and server are killed. */
export interface Writer {
  readonly acknowledged: number;
  /** Resolves when it was stopped. Rejects if it has failed. */
  readonly done: Promise<void>;
  /** Stops it after the request in flight. */
  stop(): Promise<void>;
}

abstract class SteadyWriter implements Writer {
  readonly done: Promise<void>;
  #stopped = false;

  protected constructor() {
    // Starts after the fields of the subclass are initialised.
    this.done = Promise.resolve().then(() => this.#run());
    this.done.catch(() => undefined);
  }

  abstract readonly acknowledged: number;
  protected abstract step(): Promise<void>;

  stop(): Promise<void> {
    this.#stopped = true;
    return this.done;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) await this.step();
  }
}

/** Increments a counter repeatedly with compare-and-set. */
export class Incrementer extends SteadyWriter {
  acknowledged = 0;

  constructor(
    readonly memory: AgentMemory,
    readonly key: string,
    readonly tier: MemoryTier,
  ) {
    super();
  }

  protected async step(): Promise<void> {
    const { key, tier } = this;
    const { entries } = await this.memory.retrieve({ keys: [key], tier });
    const [revision, count] = [entries[0]?.revision ?? 0, (entries[0]?.content as number | undefined) ?? 0];
    // The client retries with the same id until it receives a reply.
    const entry = { key, content: count + 1, tier, if_revision: revision };
    const { errors } = await this.memory.store(entry, { id: randomUUID(), partial: true });
    expect(errors.filter(({ code }) => code !== "conflict")).toEqual([]);
    if (errors.length === 0) this.acknowledged++;
  }
}

/** Stores one new key after the other, and records each reply. */
export class KeyWriter extends SteadyWriter {
  readonly receipts = new Map<string, StoreReceipt>();

  constructor(
    readonly memory: AgentMemory,
    readonly name: string,
    readonly tier: MemoryTier,
  ) {
    super();
  }

  get acknowledged(): number {
    return this.receipts.size;
  }

  protected async step(): Promise<void> {
    const key = `${this.name}-${this.acknowledged}`;
    this.receipts.set(key, await this.memory.remember(key, key, { tier: this.tier }));
  }
}

/** Resolves when each writer has completed `requests` more requests. Rejects if one has failed. */
export async function progress(writers: readonly Writer[], requests: number): Promise<void> {
  const goals = writers.map((writer) => writer.acknowledged + requests);
  while (writers.some((writer, n) => writer.acknowledged < goals[n]!)) {
    await Promise.race([delay(systemClock, 20), ...writers.map(({ done }) => done)]);
  }
}
