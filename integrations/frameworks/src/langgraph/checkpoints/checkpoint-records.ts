import { type AgentMemory, type EntryInput, type RetrieveRequest, toMemoryError } from "@membus/agent-client";
import { LongRecords } from "@membus/agentic";
import { type Filter, isHead, LIMITS, type MemoryEntry, type StoreError } from "@membus/protocol";
import {
  type ChannelVersion,
  channelInput,
  channelKey,
  checkpointInput,
  checkpointKey,
  groupOf,
  readChannel,
  readCheckpoint,
  readWrite,
  type StoredChannel,
  type StoredCheckpoint,
  type StoredWrite,
  writeInput,
} from "./checkpoint-entry.js";
import type { CheckpointPlace, Place, PlaceInConfig } from "./place.js";
import type { ResolvedSaverOptions } from "./saver-options.js";

/** Checkpoints that are read at a time. */
const PAGE = 100;

/** Checkpoints, values of channels and writes as entries of one namespace. */
export class CheckpointRecords {
  readonly #memory: AgentMemory;
  readonly #records: LongRecords;
  readonly #settings: ResolvedSaverOptions;

  constructor(memory: AgentMemory, settings: ResolvedSaverOptions) {
    this.#memory = memory.inNamespace(settings.namespace);
    this.#records = new LongRecords(this.#memory, settings.tier);
    this.#settings = settings;
  }

  /** In one store, the checkpoint last: whoever finds it finds its channels. */
  async put(stored: StoredCheckpoint, channels: readonly StoredChannel[]): Promise<void> {
    const inputs = [...channels.map((channel) => channelInput(stored, channel)), checkpointInput(stored)];
    const errors = await this.#store(inputs);
    if (errors[0] === undefined) return;
    // It may be there although one of its channels is not.
    if (!errors.some(({ index }) => index === channels.length))
      await this.forgetCheckpoints(stored, [stored.id]);
    throw toMemoryError(errors[0]);
  }

  async putWrites(at: CheckpointPlace, writes: readonly StoredWrite[]): Promise<void> {
    const inputs = writes.map((write) => writeInput(at, write));
    const errors = await this.#store(inputs, true);
    const failed = errors.find(({ code }) => code !== "conflict");
    if (failed !== undefined) throw toMemoryError(failed);
  }

  async find(place: CheckpointPlace): Promise<StoredCheckpoint | undefined> {
    const [stored] = await this.#read({ keys: [checkpointKey(place)] }, readCheckpoint);
    return stored;
  }

  /** The one with the greatest id, which is nearly always the one that was stored last. */
  async latest({ thread, ns }: Place): Promise<StoredCheckpoint | undefined> {
    const match = { kind: "checkpoint", thread, ns };
    const [entry] = await this.#records.page({ match, limit: 1, order: "newest" });
    if (entry === undefined) return undefined;
    // Parts of it are missing: there is one before it at most.
    if (isHead(entry)) return (await this.select({ thread, ns, id: undefined }).next()).value;
    const stored = readCheckpoint(entry);
    const where: Filter = { field: "key.id", op: "gt", value: stored.id };
    if ((await this.#count({ match, where })) === 0) return stored;
    const [greatest = stored.id] = await this.#ids(match, where);
    return this.find({ thread, ns, id: greatest });
  }

  /** Those that meet what is given, the greatest id first, read while they are asked for. */
  async *select({ thread, ns, id }: PlaceInConfig, before?: string): AsyncGenerator<StoredCheckpoint> {
    const match = { kind: "checkpoint", ...withoutUndefined({ thread, ns, id }) };
    const where: Filter | undefined =
      before === undefined ? undefined : { field: "key.id", op: "lt", value: before };
    const ids = await this.#ids(match, where);
    for (let at = 0; at < ids.length; at += PAGE) {
      const some: Filter = { field: "key.id", op: "in", value: ids.slice(at, at + PAGE) };
      const found = await this.#read({ match, where: some }, readCheckpoint);
      yield* found.sort(byId);
    }
  }

  async channels(place: Place, versions: Readonly<Record<string, ChannelVersion>>): Promise<StoredChannel[]> {
    const keys = Object.entries(versions).map(([channel, version]) => channelKey(place, channel, version));
    const pages = pagesOf(keys, LIMITS.criteriaKeys).map((page) => this.#read({ keys: page }, readChannel));
    return (await Promise.all(pages)).flat();
  }

  async writes({ thread, ns, id }: CheckpointPlace): Promise<StoredWrite[]> {
    return this.#read({ match: { kind: "write", thread, ns, checkpoint: id } }, readWrite);
  }

  async count({ thread, ns }: Place): Promise<number> {
    return this.#count({ match: { kind: "checkpoint", thread, ns } });
  }

  /** And what was written while they were the latest. */
  async forgetCheckpoints({ thread, ns }: Place, ids: readonly string[]): Promise<void> {
    for (const page of pagesOf(ids, PAGE)) {
      const keys = page.map((id) => checkpointKey({ thread, ns, id }));
      await this.#records.forget({ keys });
      const where: Filter = { field: "key.checkpoint", op: "in", value: page };
      await this.#records.forget({ match: { kind: "write", thread, ns }, where });
    }
  }

  async forgetChannels(
    place: Place,
    versions: readonly (readonly [channel: string, version: ChannelVersion])[],
  ): Promise<void> {
    const keys = versions.map(([channel, version]) => channelKey(place, channel, version));
    for (const page of pagesOf(keys, PAGE)) await this.#records.forget({ keys: page });
  }

  async forgetThread(thread: string): Promise<void> {
    await this.#memory.forget({ tier: this.#settings.tier, group: groupOf(thread) });
  }

  async #store(inputs: readonly EntryInput[], replacing = false): Promise<readonly StoreError[]> {
    const { ttl } = this.#settings;
    const ending = ttl === undefined ? inputs : inputs.map((input) => ({ ...input, ttl }));
    return (await this.#records.store(ending, { replacing })).errors;
  }

  async #count(request: RetrieveRequest): Promise<number> {
    return (await this.#memory.retrieve({ ...request, tier: this.#settings.tier, limit: 0 })).total;
  }

  /** Of the checkpoints that meet it, the greatest first; of each namespace that has one. */
  async #ids(match: Record<string, string>, where?: Filter): Promise<string[]> {
    const request = { tier: this.#settings.tier, field: "key.id", match, ...(where && { where }) };
    const ids: string[] = [];
    for await (const { value } of this.#memory.items(request, { pageSize: LIMITS.listLimit })) {
      ids.push(String(value));
    }
    return ids.sort().reverse();
  }

  async #read<T>(request: RetrieveRequest, read: (entry: MemoryEntry) => T): Promise<T[]> {
    const found: T[] = [];
    for await (const entry of this.#records.entries(request)) if (!isHead(entry)) found.push(read(entry));
    return found;
  }
}

/** The greatest id first; of one id by thread and namespace, so that the order is always the same. */
function byId(a: StoredCheckpoint, b: StoredCheckpoint): number {
  return compare(b.id, a.id) || compare(a.thread, b.thread) || compare(a.ns, b.ns);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function pagesOf<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, page) => items.slice(page * size, (page + 1) * size));
}

function withoutUndefined<Fields extends object>(fields: Fields): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
