import {
  type Json,
  keyHash,
  LIMITS,
  type MemoryEntry,
  type OptionsOf,
  option,
  optionSet,
  type ResolvedOptionsOf,
} from "@membus/protocol";
import { readRecord, recordEntry } from "@membus/protocol/records";
import { textOf } from "../conversation/index.js";
import { kindIs } from "../kind-filter.js";
import type { ChatMessage, Cost } from "../model/index.js";
import { IdSchema } from "../option-schemas.js";
import { exactlyOne, LimitSchema, MESSAGES_MAX } from "./call-schemas.js";
import { Draft } from "./draft.js";
import { withoutUndefined } from "./history.js";
import type { MemorySpace } from "./memory-space.js";

export const OffloadOptionsSchema = optionSet({
  /** Id of the conversation, 1..128 characters. Absent: an id derived from the messages. */
  conversation: IdSchema.optional(),
  /** Number of latest messages that stay unchanged. */
  keepRecent: option.integer(0, MESSAGES_MAX).default(0),
  /** Minimum size of a text in bytes. Smaller messages stay unchanged. */
  bytesMin: option.integer(0, 1_000_000).default(0),
  /** Length of the preview that replaces a text, in characters. */
  previewLength: option.integer(0, 2_000).default(80),
  signal: option.signal().optional(),
});

export interface OffloadOptions extends OptionsOf<typeof OffloadOptionsSchema> {}

export interface OffloadResult {
  /** All messages in order. Offloaded ones have a pointer line as their content. */
  readonly messages: readonly ChatMessage[];
  /** Ids of the records, in the order of their messages. */
  readonly offloadIds: readonly string[];
  readonly cost: Cost;
}

export const ReloadOptionsSchema = optionSet({
  /** Search text. Set either this or `ids`. */
  query: option.text().optional(),
  /** Ids from pointer lines. */
  ids: option.list(option.text(), 1, LIMITS.retrieveLimit).optional(),
  /** Maximum number of texts. Absent: 10, or the number of ids. */
  limit: LimitSchema.optional(),
  signal: option.signal().optional(),
}).refine(...exactlyOne("query", "ids"));

export interface ReloadOptions extends OptionsOf<typeof ReloadOptionsSchema> {}

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

type Offloading = Omit<ResolvedOptionsOf<typeof OffloadOptionsSchema>, "conversation" | "signal">;

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
