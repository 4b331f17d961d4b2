import type { EntryInput } from "@membus/agent-client";
import type { MemoryEntry, MemoryKey } from "@membus/protocol";
import type { CheckpointPlace, Place } from "./place.js";
import type { Serialized } from "./serialized.js";

/** Values of channels are kept beside the checkpoints, once for each version. */
export type ChannelVersion = string | number;

/** A checkpoint without the values of its channels. */
export interface StoredCheckpoint extends CheckpointPlace {
  readonly parent: string | undefined;
  readonly checkpoint: Serialized;
  readonly metadata: Serialized;
  /** How many checkpoints before it a channel may be built from, at most. */
  readonly deltaSteps: number;
}

/** The value that a channel has in one version. */
export interface StoredChannel {
  readonly channel: string;
  readonly version: ChannelVersion;
  readonly value: Serialized;
}

/** One value that a task wrote while a checkpoint was the latest. */
export interface StoredWrite {
  readonly task: string;
  readonly path: string;
  readonly idx: number;
  readonly channel: string;
  readonly value: Serialized;
}

/** Every entry has one, by which all of a thread go at once, parts of large ones included. */
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

/** Of a write with an index of its own the first stays, as of one that a retried task makes again. */
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

/** Nothing of it is for searches. */
function input(thread: string, key: MemoryKey, content: object): EntryInput {
  return { key, content: content as EntryInput["content"], group: groupOf(thread), text: "" };
}
