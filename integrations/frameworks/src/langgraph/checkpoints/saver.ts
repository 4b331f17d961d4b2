import { randomInt } from "node:crypto";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  copyCheckpoint,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
  writesSortKey,
} from "@langchain/langgraph-checkpoint";
import type { AgentMemory } from "@membus/agent-client";
import { parseOptions } from "@membus/protocol";
import type { StoredChannel, StoredCheckpoint, StoredWrite } from "./checkpoint-entry.js";
import { CheckpointRecords } from "./checkpoint-records.js";
import { type CheckpointPlace, configOf, placeIn, placeToWrite } from "./place.js";
import { retain } from "./retention.js";
import { type ResolvedSaverOptions, type SaverOptions, SaverOptionsSchema } from "./saver-options.js";
import { deserialize, type Serialized, serialize } from "./serialized.js";

const VERSION_FRACTIONS = 2 ** 32;

/** Before version 4, sends of tasks were not a channel but writes of the previous checkpoint. */
const SENDS_ARE_CHANNEL = 4;

/**
 * Checkpoints of LangGraph in the memory of an agent, so that another process can continue a graph. The
 * client sets the agent, and a config only chooses the thread.
 *
 * Methods throw `MemoryError` for errors of the bus or the host, and `TypeError` for an invalid config.
 */
export class MembusSaver extends BaseCheckpointSaver {
  readonly #records: CheckpointRecords;
  readonly #settings: ResolvedSaverOptions;

  /**
   * @param serde serializer of values. Default: LangGraph's own.
   * @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range.
   */
  constructor(memory: AgentMemory, options: SaverOptions = {}, serde?: SerializerProtocol) {
    super(serde);
    this.#settings = parseOptions(SaverOptionsSchema, options);
    this.#records = new CheckpointRecords(memory, this.#settings);
  }

  /**
   * Returns the checkpoint of the config, or the one of its thread with the greatest id. undefined if it does
   * not exist.
   */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread, ns = "", id } = placeIn(config);
    if (thread === undefined) return undefined;
    const found = await (id === undefined
      ? this.#records.latest({ thread, ns })
      : this.#records.find({ thread, ns, id }));
    return found && this.#tuple(found);
  }

  /** Yields checkpoints of the thread, or of all threads if the config has none, greatest id first. */
  override async *list(
    config: RunnableConfig,
    { limit, before, filter }: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    let left = limit ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return;
    for await (const stored of this.#records.select(placeIn(config), before && placeIn(before).id)) {
      if (filter !== undefined && !matchesFilter(await this.#metadataOf(stored), filter)) continue;
      yield await this.#tuple(stored);
      if (--left <= 0) return;
    }
  }

  /**
   * Stores a checkpoint and the channels in `newVersions`.
   * @throws {TypeError} with the option `ttl` for a `DeltaChannel` built from earlier checkpoints, which
   * expire first. Use `retention` instead.
   */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread, ns, id: parent } = placeToWrite(config);
    const place = { thread, ns, id: checkpoint.id };
    const { retention, ttl } = this.#settings;
    const deltaSteps = deltaStepsOf(metadata);
    if (ttl !== undefined && deltaSteps > 0) {
      throw new TypeError(
        "a DeltaChannel needs earlier checkpoints, which expire before it. Use retention instead of ttl",
      );
    }
    const { channel_values: _, ...bare } = copyCheckpoint(checkpoint);
    const [bareBytes, metadataBytes, channels] = await Promise.all([
      serialize(this.serde, bare),
      serialize(this.serde, metadata),
      this.#channels(checkpoint, ttl === undefined ? newVersions : checkpoint.channel_versions),
    ]);
    const stored = { ...place, parent, deltaSteps, checkpoint: bareBytes, metadata: metadataBytes };
    await this.#records.put(stored, channels);
    if (retention !== undefined) {
      const versionsOf = async (each: StoredCheckpoint) => (await this.#bare(each)).channel_versions;
      await retain(place, this.#records, { count: retention, versionsOf });
    }
    return configOf(place);
  }

  /** Stores the writes of a task after a checkpoint. Repeated writes of a retry have no effect. */
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const { thread, ns, id } = placeToWrite(config);
    if (id === undefined) throw new TypeError('configurable needs a "checkpoint_id"');
    const stored = writes.map(async ([channel, value], position): Promise<StoredWrite> => {
      const idx = WRITES_IDX_MAP[channel] ?? position;
      return { task: taskId, path: taskPath, idx, channel, value: await serialize(this.serde, value) };
    });
    await this.#records.putWrites({ thread, ns, id }, await Promise.all(stored));
  }

  /** Forgets all checkpoints of a thread with their channels and writes. */
  override async deleteThread(threadId: string): Promise<void> {
    const { thread } = placeToWrite({ configurable: { thread_id: threadId } });
    await this.#records.forgetThread(thread);
  }

  /**
   * Returns the next number with a random fraction, so that two branches of a thread never share a version
   * and a channel value.
   */
  override getNextVersion(current: number | undefined): number {
    return Math.trunc(current ?? 0) + 1 + randomInt(VERSION_FRACTIONS) / VERSION_FRACTIONS;
  }

  async #channels(
    { channel_values }: Checkpoint,
    versions: Readonly<ChannelVersions>,
  ): Promise<StoredChannel[]> {
    const given = Object.entries(versions).filter(([channel]) => Object.hasOwn(channel_values, channel));
    const stored = given.map(async ([channel, version]) => {
      return { channel, version, value: await serialize(this.serde, channel_values[channel]) };
    });
    return Promise.all(stored);
  }

  async #tuple(found: StoredCheckpoint): Promise<CheckpointTuple> {
    const { thread, ns, parent } = found;
    const before = parent === undefined ? undefined : { thread, ns, id: parent };
    const [checkpoint, metadata, pendingWrites] = await Promise.all([
      this.#whole(found, before),
      this.#metadataOf(found),
      this.#pendingWrites(found),
    ]);
    const parentConfig = before && { parentConfig: configOf(before) };
    return { config: configOf(found), checkpoint, metadata, pendingWrites, ...parentConfig };
  }

  /** Returns a checkpoint with the stored values of its channels. */
  async #whole(found: StoredCheckpoint, before: CheckpointPlace | undefined): Promise<Checkpoint> {
    const bare = await this.#bare(found);
    const stored = await this.#records.channels(found, bare.channel_versions);
    const values = stored.map(async ({ channel, value }) => [channel, await this.#value(value)] as const);
    const checkpoint = { ...bare, channel_values: Object.fromEntries(await Promise.all(values)) };
    if (bare.v >= SENDS_ARE_CHANNEL || before === undefined) return checkpoint;
    return withSends(checkpoint, await this.#pendingWrites(before));
  }

  async #pendingWrites(at: CheckpointPlace): Promise<CheckpointPendingWrite[]> {
    const stored = await this.#records.writes(at);
    const keyed = stored.map((write) => ({ write, key: writesSortKey(write.path, write.task, write.idx) }));
    keyed.sort((a, b) => compareWritesSortKeys(a.key, b.key));
    const writes = keyed.map(async ({ write }): Promise<CheckpointPendingWrite> => {
      return [write.task, write.channel, await this.#value(write.value)];
    });
    return Promise.all(writes);
  }

  async #bare({ checkpoint }: StoredCheckpoint): Promise<Omit<Checkpoint, "channel_values">> {
    return (await this.#value(checkpoint)) as Omit<Checkpoint, "channel_values">;
  }

  async #metadataOf({ metadata }: StoredCheckpoint): Promise<CheckpointMetadata> {
    return (await this.#value(metadata)) as CheckpointMetadata;
  }

  #value(serialized: Serialized): Promise<unknown> {
    return deserialize(this.serde, serialized);
  }
}

/** Compares top-level fields that are not objects, like LangGraph's own savers. */
function matchesFilter(metadata: CheckpointMetadata, filter: Readonly<Record<string, unknown>>): boolean {
  const fields = new Map<string, unknown>(Object.entries(metadata));
  return Object.entries(filter).every(([name, value]) => fields.get(name) === value);
}

/** Returns the number of earlier checkpoints that a channel is built from. */
function deltaStepsOf({ counters_since_delta_snapshot: counters = {} }: CheckpointMetadata): number {
  return Math.max(0, ...Object.values(counters).map(([, supersteps]) => supersteps + 1));
}

function withSends(checkpoint: Checkpoint, writes: readonly CheckpointPendingWrite[]): Checkpoint {
  const sends = writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
  const versions = Object.values(checkpoint.channel_versions);
  const version = versions.length === 0 ? 1 : maxChannelVersion(...versions);
  return {
    ...checkpoint,
    channel_values: { ...checkpoint.channel_values, [TASKS]: sends },
    channel_versions: { ...checkpoint.channel_versions, [TASKS]: version },
  };
}
