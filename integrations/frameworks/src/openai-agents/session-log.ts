import { randomUUID } from "node:crypto";
import { type AgentMemory, type EntryInput, pauseAfterConflict, toMemoryError } from "@membus/agent-client";
import { LongRecords } from "@membus/agentic";
import { type Clock, type Filter, isHead, type Json, LIMITS, MemoryError } from "@membus/protocol";
import { textOf } from "./item-text.js";
import type { ResolvedSessionOptions } from "./session-options.js";

/** A transaction that was applied, by the hashes of its id and of what it does. */
export interface Operation {
  readonly id: string;
  readonly does: string;
}

/** What one call has added. Its number says where it stands, its id which it is: a number that is free again may be another's. */
export interface Batch {
  readonly n: number;
  readonly id: string;
  /** The ids of those in place of which it stands. */
  readonly replaces: readonly string[];
  readonly items: readonly Json[];
  readonly operations: readonly Operation[];
}

/** Of the batches that count the first `kept` stay, and these items come in place of the others. */
export interface Change {
  readonly kept: number;
  readonly items: readonly Json[];
  readonly operation?: Operation;
  /** Also forgets which operations there were. */
  readonly isReset?: boolean;
}

const KIND = "openai_items";

/**
 * A history as a log of batches: every change is one entry more, under the next number and only if no one else has taken it. So
 * changes come one after the other, whoever makes them, and each is there as a whole or not at all. What a batch stands in place
 * of is forgotten once that is stored. A write that is under way at that very time, and that others have overtaken, may take its
 * number: an append then stands before what has overtaken it, and a change is one of what was there before that.
 */
export class SessionLog {
  readonly #id: string;
  readonly #memory: AgentMemory;
  readonly #options: ResolvedSessionOptions;
  readonly #records: LongRecords;
  readonly #clock: Clock;
  /** The greatest number that was seen. */
  #seen = 0;

  constructor(id: string, memory: AgentMemory, options: ResolvedSessionOptions, clock: Clock) {
    this.#id = id;
    this.#memory = memory.inNamespace(options.namespace);
    this.#options = options;
    this.#records = new LongRecords(this.#memory, options.tier);
    this.#clock = clock;
  }

  /** The batches that count, in their order. */
  async live(): Promise<Batch[]> {
    return liveOf(await this.#read());
  }

  /** Adds items without reading what is there. */
  async append(items: readonly Json[]): Promise<void> {
    for (let attempt = 1; attempt <= this.#options.attemptsMax; attempt++) {
      const n = (await this.#latest()) + 1;
      if (await this.#write({ n, id: randomUUID(), replaces: [], items, operations: [] })) return;
      await pauseAfterConflict(attempt, this.#clock);
    }
    throw this.#contended();
  }

  /** Makes a change of what is there, of which nothing else changes meanwhile; none where `change` has none. */
  async change(change: (live: readonly Batch[]) => Change | undefined): Promise<void> {
    for (let attempt = 1; attempt <= this.#options.attemptsMax; attempt++) {
      const all = await this.#read();
      const made = change(liveOf(all));
      if (made === undefined) return;
      const batch = this.#batchOf(made, all);
      if (await this.#write(batch)) return this.#forget(batch.replaces);
      await pauseAfterConflict(attempt, this.#clock);
    }
    throw this.#contended();
  }

  /** It also replaces what another has replaced and was not there to forget. */
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

  /** @returns whether the number was free. */
  async #write(batch: Batch): Promise<boolean> {
    const { errors } = await this.#records.store([this.#entryOf(batch)]);
    if (errors[0] !== undefined && errors[0].code !== "conflict") throw toMemoryError(errors[0]);
    return errors.length === 0;
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

  /** All batches in their order, as they were at one moment. */
  async #read(): Promise<Batch[]> {
    for (let attempt = 1; attempt <= this.#options.attemptsMax; attempt++) {
      const found: Batch[] = [];
      let isWhole = true;
      for await (const entry of this.#records.entries({ where: this.#ofSession(), order: "oldest" })) {
        if (isHead(entry)) isWhole = false;
        else
          found.push({ ...(entry.content as unknown as Batch), n: (entry.key as { readonly n: number }).n });
      }
      // What was forgotten while it was read has another in its place, which is newer than all that were read.
      const latest = found.reduce((most, { n }) => Math.max(most, n), 0);
      if ((await this.#newest(latest)) === undefined) {
        if (!isWhole) throw new MemoryError("runtime_error", `a part of session ${this.#id} has gone`);
        return found.sort((a, b) => a.n - b.n);
      }
      await pauseAfterConflict(attempt, this.#clock);
    }
    throw this.#contended();
  }

  /** The greatest number. */
  async #latest(): Promise<number> {
    for (;;) {
      const newer = await this.#newest(this.#seen);
      if (newer === undefined) return this.#seen;
      this.#seen = newer;
    }
  }

  /** A number greater than this one, of the batch that was stored last. */
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

  #contended(): MemoryError {
    return new MemoryError("conflict", `session ${this.#id} is being changed by others`);
  }
}

/** Those in place of which no other stands. */
function liveOf(all: readonly Batch[]): Batch[] {
  const replaced = new Set(all.flatMap(({ replaces }) => replaces));
  return all.filter(({ id }) => !replaced.has(id));
}

export function itemsOf(batches: readonly Batch[]): Json[] {
  return batches.flatMap(({ items }) => items);
}

/** The first of the batches that the last `count` items are in; how many there are for none. */
export function firstWithin(batches: readonly Batch[], count: number): number {
  let first = batches.length;
  for (let left = count; left > 0 && first > 0; ) left -= batches[--first]!.items.length;
  return first;
}
