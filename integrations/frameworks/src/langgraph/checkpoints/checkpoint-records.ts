import { type AgentMemory, type EntryInput, type RetrieveRequest, toMemoryError } from "@membus/agent-client";
import { LongRecords } from "@membus/agentic/long-records";
import { type Filter, LIMITS, type MemoryEntry, type StoreError } from "@membus/protocol";
import { isHead } from "@membus/protocol/records";
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

/** Checkpoints of one page. */
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

  /**
   * Stores a checkpoint after its channels in one store, so that readers of the checkpoint find its channels.
   */
  async put(stored: StoredCheckpoint, channels: readonly StoredChannel[]): Promise<void> {
    const inputs = [...channels.map((channel) => channelInput(stored, channel)), checkpointInput(stored)];
    const errors = await this.#store(inputs);
    if (errors[0] === undefined) return;
    // The checkpoint may be stored without one of its channels.
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

  /** Returns the checkpoint with the greatest id, which is nearly always the one stored last. */
  async latest({ thread, ns }: Place): Promise<StoredCheckpoint | undefined> {
    const match = { kind: "checkpoint", thread, ns };
    const [entry] = await this.#records.page({ match, limit: 1, order: "newest" });
    if (entry === undefined) return undefined;
    // Parts of the latest checkpoint are missing, so the one before it counts.
    if (isHead(entry)) return (await this.select({ thread, ns, id: undefined }).next()).value;
    const stored = readCheckpoint(entry);
    const where: Filter = { field: "key.id", op: "gt", value: stored.id };
    if ((await this.#count({ match, where })) === 0) return stored;
    const [greatest = stored.id] = await this.#ids(match, where);
    return this.find({ thread, ns, id: greatest });
  }

  /** Yields matching checkpoints, greatest id first, reading them page by page. */
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

  /** Forgets checkpoints and the writes after them. */
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

  /** Returns the ids of matching checkpoints in all namespaces, greatest first. */
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

/** Compares by id, greatest first, then by thread and namespace. */
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
