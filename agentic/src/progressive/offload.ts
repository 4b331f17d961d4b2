import { type Json, keyHash, type MemoryEntry, type ResolvedOptions } from "@membus/protocol";
import { readRecord, recordEntry } from "@membus/protocol/records";
import { textOf } from "../conversation/index.js";
import { kindIs } from "../kind-filter.js";
import type { ChatMessage, Cost } from "../model/index.js";
import { Draft } from "./draft.js";
import { withoutUndefined } from "./history.js";
import type { MemorySpace } from "./memory-space.js";

export interface OffloadOptions {
  /** Id of the conversation, 1..128 characters. Absent: an id derived from the messages. */
  readonly conversation?: string | undefined;
  /**
   * Number of latest messages that stay unchanged, 0..1000.
   * @default 0
   */
  readonly keepRecent?: number | undefined;
  /**
   * Minimum size of a text in bytes, 0..1000000. Smaller messages stay unchanged.
   * @default 0
   */
  readonly bytesMin?: number | undefined;
  /**
   * Length of the preview that replaces a text, in characters, 0..2000.
   * @default 80
   */
  readonly previewLength?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const OFFLOAD_DEFAULTS = Object.freeze({ keepRecent: 0, bytesMin: 0, previewLength: 80 });

export interface OffloadResult {
  /** All messages in order. Offloaded ones have a pointer line as their content. */
  readonly messages: readonly ChatMessage[];
  /** Ids of the records, in the order of their messages. */
  readonly offloadIds: readonly string[];
  readonly cost: Cost;
}

export interface ReloadOptions {
  /** Search text. Set either this or `ids`. */
  readonly query?: string | undefined;
  /** Ids from pointer lines. */
  readonly ids?: readonly string[] | undefined;
  /** Maximum number of texts, 1..1000. Default: 10, or the number of ids. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Reloaded {
  readonly offloadId: string;
  readonly text: string;
  /** The original message. */
  readonly message: ChatMessage;
  readonly score: number;
}

export interface ReloadResult {
  /** Best first, or in the order of `ids`. */
  readonly results: readonly Reloaded[];
  /** Ids without a stored text. */
  readonly unknownIds: readonly string[];
  readonly cost: Cost;
}

const RELOAD_LIMIT = 10;
const POINTER = /^\[offloaded [0-9a-f]{64}: /;

type Offloading = ResolvedOptions<Pick<OffloadOptions, "keepRecent" | "bytesMin" | "previewLength">>;

/**
 * Moves the texts of messages to records. Roles, ids and tool calls stay, so that calls and results match.
 * System messages and earlier pointers stay unchanged. Idempotent.
 * @throws {MemoryError} if a text cannot be stored. The messages then stay unchanged.
 */
export async function offload(
  space: MemorySpace,
  given: readonly ChatMessage[],
  conversation: string | undefined,
  options: Offloading,
): Promise<OffloadResult> {
  const draft = new Draft(space);
  const messages = given.map(withoutUndefined);
  const group = conversation ?? space.derivedId("conversation", messages as unknown as Json);
  const last = messages.length - options.keepRecent;
  const offloadIds: string[] = [];
  const kept = messages.map((message, index) => {
    if (index >= last || !isOffloadable(message, options)) return message;
    const id = stage(draft, group, message);
    offloadIds.push(id);
    return { ...message, content: pointerLine(id, message, options) };
  });
  await draft.commit();
  return { messages: kept, offloadIds, cost: space.meter.cost };
}

function isOffloadable(message: ChatMessage, { bytesMin }: Offloading): boolean {
  if (message.role === "system" || message.role === "developer" || message.content === null) return false;
  return !POINTER.test(textOf(message)) && bytesOf(message) >= bytesMin;
}

function stage(draft: Draft, conversation: string, message: ChatMessage): string {
  const { space } = draft;
  const text = textOf(message);
  const key = { offload: space.derivedId("offload", conversation, message as unknown as Json) };
  const metadata = { bytes: bytesOf(message), ...(message.name !== undefined && { tool: message.name }) };
  const content = { text, message: message as unknown as Json };
  const entry = { ...recordEntry({ kind: "offload", key, content, metadata }), group: conversation };
  return draft.write(space.conversations, { entry, revision: 0 });
}

function bytesOf(message: ChatMessage): number {
  return Buffer.byteLength(textOf(message));
}

function pointerLine(id: string, message: ChatMessage, { previewLength }: Offloading): string {
  const preview = textOf(message).slice(0, previewLength).toWellFormed().replaceAll(/\s+/g, " ");
  const more = preview === "" ? "" : `; begins: ${preview}`;
  return `[offloaded ${id}: ${bytesOf(message)} bytes${more}]`;
}

/** Returns offloaded texts by query or by ids. */
export async function reload(space: MemorySpace, input: ReloadOptions): Promise<ReloadResult> {
  const { query, ids, limit = ids?.length ?? RELOAD_LIMIT } = input;
  const where = kindIs("offload");
  const known = ids?.filter((id) => /^[0-9a-f]{64}$/.test(id));
  const entries =
    known === undefined
      ? await space.search(space.conversations, { query, where, limit })
      : await space.find(space.conversations, known);
  const found = entries.flatMap((entry) => reloadedOf(entry) ?? []);
  const byId = new Map(found.map((reloaded) => [reloaded.offloadId, reloaded]));
  const results = ids === undefined ? found : ids.flatMap((id) => byId.get(id) ?? []);
  const unknownIds = ids?.filter((id) => !byId.has(id)) ?? [];
  return { results: results.slice(0, limit), unknownIds, cost: space.meter.cost };
}

function reloadedOf(entry: MemoryEntry): Reloaded | undefined {
  const record = readRecord(entry, "offload");
  if (record === undefined) return undefined;
  const { text, message } = record.content;
  const whole = (message ?? { role: "user", content: text }) as ChatMessage;
  return { offloadId: keyHash(record.key), text, message: whole, score: entry.score };
}
