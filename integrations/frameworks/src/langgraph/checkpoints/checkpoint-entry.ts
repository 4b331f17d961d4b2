import type { EntryInput } from "@membus/agent-client";
import type { MemoryEntry, MemoryKey } from "@membus/protocol";
import type { CheckpointPlace, Place } from "./place.js";
import type { Serialized } from "./serialized.js";

/** Version of a channel. Values of channels are stored apart from checkpoints, once per version. */
export type ChannelVersion = string | number;

/** A checkpoint without the values of its channels. */
export interface StoredCheckpoint extends CheckpointPlace {
  readonly parent: string | undefined;
  readonly checkpoint: Serialized;
  readonly metadata: Serialized;
  /** Maximum number of earlier checkpoints that a channel may be built from. */
  readonly deltaSteps: number;
}

/** The value of a channel in one version. */
export interface StoredChannel {
  readonly channel: string;
  readonly version: ChannelVersion;
  readonly value: Serialized;
}

/** A value that a task wrote after a checkpoint. */
export interface StoredWrite {
  readonly task: string;
  readonly path: string;
  readonly idx: number;
  readonly channel: string;
  readonly value: Serialized;
}

/**
 * Returns the group of all entries of a thread, so that a forget of the group deletes everything, including
 * parts.
 */
export function groupOf(thread: string): string {
  return `langgraph thread ${thread}`;
}

export function checkpointKey({ thread, ns, id }: CheckpointPlace) {
  return { kind: "checkpoint", thread, ns, id };
}

export function channelKey({ thread, ns }: Place, channel: string, version: ChannelVersion) {
  return { kind: "channel", thread, ns, channel, version };
}

export function checkpointInput(stored: StoredCheckpoint): EntryInput {
  const { checkpoint, metadata, parent, deltaSteps } = stored;
  const content = { checkpoint, metadata, deltaSteps, ...(parent !== undefined && { parent }) };
  return input(stored.thread, checkpointKey(stored), content);
}

export function channelInput(place: Place, { channel, version, value }: StoredChannel): EntryInput {
  return input(place.thread, channelKey(place, channel, version), value);
}

/**
 * Returns the entry of a write. With an index of 0 or more the first write stays, because a retried task
 * repeats it.
 */
export function writeInput(at: CheckpointPlace, write: StoredWrite): EntryInput {
  const { task, idx, channel, path, value } = write;
  const key = { kind: "write", thread: at.thread, ns: at.ns, checkpoint: at.id, task, idx };
  return { ...input(at.thread, key, { channel, path, value }), ...(idx >= 0 && { if_revision: 0 }) };
}

export function readCheckpoint({ key, content }: MemoryEntry): StoredCheckpoint {
  const { thread, ns, id } = key as Record<string, string>;
  return { parent: undefined, ...(content as object), thread, ns, id } as StoredCheckpoint;
}

export function readChannel({ key, content }: MemoryEntry): StoredChannel {
  const { channel, version } = key as Record<string, string>;
  return { channel, version, value: content } as StoredChannel;
}

export function readWrite({ key, content }: MemoryEntry): StoredWrite {
  const { task, idx } = key as Record<string, string | number>;
  return { ...(content as object), task, idx } as StoredWrite;
}

/** Returns an entry that searches do not find. */
function input(thread: string, key: MemoryKey, content: object): EntryInput {
  return { key, content: content as EntryInput["content"], group: groupOf(thread), text: "" };
}
