import { randomUUID } from "node:crypto";
import {
  type AgentMemory,
  type EntryInput,
  toMemoryError,
  type UpdateOptions,
  updateWithRetry,
} from "@membus/agent-client";
import { LongRecords } from "@membus/agentic/long-records";
import { type Clock, type Filter, type Json, LIMITS, MemoryError } from "@membus/protocol";
import { isHead } from "@membus/protocol/records";
import { textOf } from "./item-text.js";
import type { ResolvedSessionOptions } from "./session-options.js";

/** An applied transaction: hashes of its id and of its content. */
export interface Operation {
  readonly id: string;
  readonly does: string;
}

/**
 * The items of one change. `n` is its position, and `id` identifies it, because a freed number may be reused.
 */
export interface Batch {
  readonly n: number;
  readonly id: string;
  /** Ids of the batches that it replaces. */
  readonly replaces: readonly string[];
  readonly items: readonly Json[];
  readonly operations: readonly Operation[];
}

/** A change: the first `kept` live batches stay, and `items` replace the others. */
export interface Change {
  readonly kept: number;
  readonly items: readonly Json[];
  readonly operation?: Operation;
  /** Also forgets the applied transactions. */
  readonly isReset?: boolean;
}

const KIND = "openai_items";

/**
 * A history as a log of batches. Every change is one new entry with the next number, stored only if that
 * number is free. So changes of any number of processes are sequential and atomic. Replaced batches are
 * forgotten afterwards. A concurrent write that has been overtaken may then reuse a freed number. An append
 * is then placed before the changes that overtook it, and a replacement applies to the state before them.
 */
export class SessionLog {
  readonly #id: string;
  readonly #memory: AgentMemory;
  readonly #options: ResolvedSessionOptions;
  readonly #records: LongRecords;
  readonly #clock: Clock;
  /** Greatest number seen so far. */
  #seen = 0;

  constructor(memory: AgentMemory, id: string, options: ResolvedSessionOptions, clock: Clock) {
    this.#id = id;
    this.#memory = memory.inNamespace(options.namespace);
    this.#options = options;
    this.#records = new LongRecords(this.#memory, options.tier);
    this.#clock = clock;
  }

  /** Returns the live batches in order. */
  async live(): Promise<Batch[]> {
    return liveOf(await this.#read());
  }

  /** Appends items without reading the history. */
  async append(items: readonly Json[]): Promise<void> {
    await updateWithRetry(
      () => this.#latest(),
      (latest) => ({ n: latest + 1, id: randomUUID(), replaces: [], items, operations: [] }),
      (batch) => this.#write(batch),
      this.#retryOptions,
    );
  }

  /** Changes the history atomically. Stores nothing if `change` returns undefined. */
  async change(change: (live: readonly Batch[]) => Change | undefined): Promise<void> {
    const written = await updateWithRetry(
      () => this.#read(),
      (all) => {
        const made = change(liveOf(all));
        return made && this.#batchOf(made, all);
      },
      (batch) => this.#write(batch),
      this.#retryOptions,
    );
    if (written !== undefined) await this.#forget(written.replaces);
  }

  /** Also replaces batches that another process replaced without forgetting them. */
  #batchOf({ kept, items, operation, isReset = false }: Change, all: readonly Batch[]): Batch {
    const live = liveOf(all);
    const stays = new Set(live.slice(0, kept));
    const carried = isReset ? [] : live.slice(kept).flatMap(({ operations }) => operations);
    const operations = operation === undefined ? carried : [...carried, operation];
    return {
      n: (all.at(-1)?.n ?? 0) + 1,
      id: randomUUID(),
      replaces: all.filter((batch) => !stays.has(batch)).map(({ id }) => id),
      items,
      operations: operations.slice(-this.#options.operationCountMax),
    };
  }

  /** Returns undefined if the number is taken. */
  async #write(batch: Batch): Promise<Batch | undefined> {
    const { errors } = await this.#records.store([this.#entryOf(batch)]);
    if (errors[0] !== undefined && errors[0].code !== "conflict") throw toMemoryError(errors[0]);
    return errors.length === 0 ? batch : undefined;
  }

  #entryOf({ n, id, replaces, items, operations }: Batch): EntryInput {
    const done = operations.map((operation) => ({ ...operation }));
    return {
      key: { openai_session: this.#id, n },
      content: { id, replaces: [...replaces], items: [...items], operations: done },
      metadata: { kind: KIND, batch: id, items: items.length },
      group: this.#id,
      text: textOf(items).slice(0, LIMITS.derivedTextLength).toWellFormed(),
      if_revision: 0,
    };
  }

  /** Returns all batches in order, as of one moment. Reads again if a batch was added during the read. */
  #read(): Promise<Batch[]> {
    return updateWithRetry(
      () => this.#readAll(),
      (all) => all,
      async ({ found, isWhole }) => {
        // A batch that was forgotten during the read has a replacement with a greater number than all that were
        // read.
        const latest = found.reduce((most, { n }) => Math.max(most, n), 0);
        if ((await this.#newest(latest)) !== undefined) return undefined;
        if (!isWhole) throw new MemoryError("runtime_error", `a part of session ${this.#id} is missing`);
        return found.sort((a, b) => a.n - b.n);
      },
      this.#retryOptions,
    );
  }

  async #readAll(): Promise<{ readonly found: Batch[]; readonly isWhole: boolean }> {
    const found: Batch[] = [];
    let isWhole = true;
    for await (const entry of this.#records.entries({ where: this.#ofSession(), order: "oldest" })) {
      if (isHead(entry)) isWhole = false;
      else found.push({ ...(entry.content as unknown as Batch), n: (entry.key as { readonly n: number }).n });
    }
    return { found, isWhole };
  }

  /** Returns the greatest number. */
  async #latest(): Promise<number> {
    for (;;) {
      const newer = await this.#newest(this.#seen);
      if (newer === undefined) return this.#seen;
      this.#seen = newer;
    }
  }

  /** Returns the number of the batch stored last, if it is greater than `than`. */
  async #newest(than: number): Promise<number | undefined> {
    const where = this.#ofSession({ field: "key.n", op: "gt", value: than });
    const request = { tier: this.#options.tier, where, order: "newest" as const, limit: 1 };
    for await (const { key } of this.#memory.entries(request)) return (key as { readonly n: number }).n;
    return undefined;
  }

  async #forget(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += LIMITS.listElements) {
      const value = ids.slice(from, from + LIMITS.listElements);
      await this.#records.forget({ where: this.#ofSession({ field: "metadata.batch", op: "in", value }) });
    }
  }

  #ofSession(...more: readonly Filter[]): Filter {
    const session: Filter = { field: "key.openai_session", op: "eq", value: this.#id };
    return { all: [{ field: "metadata.kind", op: "eq", value: KIND }, session, ...more] };
  }

  get #retryOptions(): UpdateOptions {
    return {
      attemptsMax: this.#options.attemptsMax,
      clock: this.#clock,
      onExhausted: () => {
        throw new MemoryError("conflict", `other writers keep changing session ${this.#id}. Try again`);
      },
    };
  }
}

/** Returns the batches that are not replaced. */
function liveOf(all: readonly Batch[]): Batch[] {
  const replaced = new Set(all.flatMap(({ replaces }) => replaces));
  return all.filter(({ id }) => !replaced.has(id));
}

export function itemsOf(batches: readonly Batch[]): Json[] {
  return batches.flatMap(({ items }) => items);
}

/**
 * Returns the index of the first batch with one of the last `count` items, or the number of batches if there
 * is none.
 */
export function firstWithin(batches: readonly Batch[], count: number): number {
  let first = batches.length;
  for (let left = count; left > 0 && first > 0; ) left -= batches[--first]!.items.length;
  return first;
}
