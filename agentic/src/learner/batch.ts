import type { AgentMemory } from "@membus/agent-client";
import {
  type ConversationMessage,
  DESCRIPTION_ID,
  inOrder,
  openConversation,
} from "../conversation/index.js";
import type { Cursor, LearnedUpTo } from "./cursor.js";
import { BATCH_COUNT_MAX, type ResolvedLearnerOptions } from "./learner-options.js";

/** Messages that are read at once. */
const PAGE = 200;

/** Messages of a conversation that are learned at once, and how far the cursor moves then. */
export interface Batch extends LearnedUpTo {
  readonly messages: readonly ConversationMessage[];
}

/**
 * The next messages to learn, oldest first: those of a batch that was begun, else one that was set aside and is to be tried
 * again, else as many as one takes.
 */
export async function readBatch(
  memory: AgentMemory,
  cursor: Cursor,
  options: ResolvedLearnerOptions,
): Promise<Batch> {
  const again = cursor.retried ?? cursor.setAside.find((one) => one.again)?.message;
  if (cursor.batchTo === undefined && again !== undefined) return readAgain(memory, cursor, again, options);
  const { first, hasMore } = await firstMessages(memory, cursor, options);
  const isBegun = cursor.batchTo !== undefined;
  const messages = isBegun ? first : nextOf(first, cursor, options);
  const last = messages.at(-1);
  return {
    messages,
    to: cursor.batchTo ?? last?.seq ?? cursor.seen,
    at: last?.created ?? cursor.since,
    hasMore: hasMore || messages.length < first.length,
  };
}

/** Forgotten meanwhile, it has nothing to learn. */
async function readAgain(
  memory: AgentMemory,
  { conversation, learned }: Cursor,
  retried: string,
  { tier }: ResolvedLearnerOptions,
): Promise<Batch> {
  const { records } = await openConversation(memory, { id: conversation, tier });
  const messages = await records.messagesById([retried]);
  return { messages, retried, to: messages[0]?.seq ?? learned, at: 0, hasMore: false };
}

/** Where a batch was at fault, no more than its messages. */
function nextOf(
  first: readonly ConversationMessage[],
  { suspectTo, countMax }: Cursor,
  { batchBytesMax }: ResolvedLearnerOptions,
): readonly ConversationMessage[] {
  const suspects = suspectTo === undefined ? first : first.filter(({ seq }) => seq <= suspectTo);
  const open = suspects.length > 0 ? suspects.slice(0, countMax) : first;
  return open.slice(0, fitting(open, batchBytesMax));
}

/**
 * Those that came first after what is learned. All that came are read: where messages bring a time of their own, no order
 * that a host has is that of their arrival.
 */
async function firstMessages(
  memory: AgentMemory,
  { conversation, since, learned, batchTo }: Cursor,
  { tier, batchCountMax }: ResolvedLearnerOptions,
): Promise<{ readonly first: ConversationMessage[]; readonly hasMore: boolean }> {
  const { records } = await openConversation(memory, { id: conversation, tier });
  const where = { field: "created", op: "gte", value: since } as const;
  const end = batchTo ?? Number.POSITIVE_INFINITY;
  // Whoever has begun a batch may have taken more at once.
  const countMax = batchTo === undefined ? batchCountMax : BATCH_COUNT_MAX;
  let first: ConversationMessage[] = [];
  let hasMore = false;
  for await (const message of records.eachMessage({ where, order: "oldest" }, PAGE)) {
    if (message.seq <= learned || message.id === DESCRIPTION_ID) continue;
    hasMore ||= message.seq > end;
    if (message.seq <= end) first.push(message);
    if (first.length < countMax + PAGE) continue;
    first = first.sort(inOrder).slice(0, countMax);
    hasMore = true;
  }
  first.sort(inOrder);
  return { first: first.slice(0, countMax), hasMore: hasMore || first.length > countMax };
}

/** How many of them are within the bytes; at least one. */
function fitting(messages: readonly ConversationMessage[], bytesMax: number): number {
  let bytes = 0;
  const over = messages.findIndex(({ message }) => {
    bytes += Buffer.byteLength(JSON.stringify(message));
    return bytes > bytesMax;
  });
  return over === -1 ? messages.length : Math.max(1, over);
}
