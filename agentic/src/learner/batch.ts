import type { AgentMemory } from "@membus/agent-client";
import {
  type ConversationMessage,
  DESCRIPTION_ID,
  inOrder,
  openConversation,
} from "../conversation/index.js";
import type { BatchEnd, Cursor } from "./cursor.js";
import { BATCH_COUNT_MAX, type ResolvedLearnerOptions } from "./learner-options.js";

/** Messages per page. */
const PAGE = 200;

/** Messages of a conversation that are learned together, and the resulting position of the cursor. */
export interface Batch extends BatchEnd {
  readonly messages: readonly ConversationMessage[];
}

/**
 * Returns the next messages to learn, oldest first: the batch that was started, else a set-aside message to
 * retry, else the next new messages up to the batch limits.
 */
export async function readBatch(
  memory: AgentMemory,
  cursor: Cursor,
  options: ResolvedLearnerOptions,
): Promise<Batch> {
  const retried = cursor.retried ?? cursor.setAside.find((one) => one.again)?.message;
  if (cursor.batchTo === undefined && retried !== undefined)
    return readRetried(memory, cursor, retried, options);
  const { first, hasMore } = await firstMessages(memory, cursor, options);
  const isStarted = cursor.batchTo !== undefined;
  const messages = isStarted ? first : nextBatch(first, cursor, options);
  const last = messages.at(-1);
  return {
    messages,
    to: cursor.batchTo ?? last?.seq ?? cursor.seen,
    at: last?.created ?? cursor.since,
    hasMore: hasMore || messages.length < first.length,
  };
}

/** Reads a set-aside message. If it was forgotten, the batch is empty. */
async function readRetried(
  memory: AgentMemory,
  { conversation, learned }: Cursor,
  retried: string,
  { tier }: ResolvedLearnerOptions,
): Promise<Batch> {
  const { records } = await openConversation(memory, { id: conversation, tier });
  const messages = await records.messagesById([retried]);
  return { messages, retried, to: messages[0]?.seq ?? learned, at: 0, hasMore: false };
}

/** Selects the messages of the next batch. After a batch failed, only its messages are candidates. */
function nextBatch(
  first: readonly ConversationMessage[],
  { suspectTo, countMax }: Cursor,
  { batchBytesMax }: ResolvedLearnerOptions,
): readonly ConversationMessage[] {
  const suspects = suspectTo === undefined ? first : first.filter(({ seq }) => seq <= suspectTo);
  const open = suspects.length > 0 ? suspects.slice(0, countMax) : first;
  return open.slice(0, countWithin(open, batchBytesMax));
}

/**
 * Returns the first messages after the learned ones. All new messages are read. Messages can have
 * an explicit time, so no order of the host is the order of arrival.
 */
async function firstMessages(
  memory: AgentMemory,
  { conversation, since, learned, batchTo }: Cursor,
  { tier, batchCountMax }: ResolvedLearnerOptions,
): Promise<{ readonly first: ConversationMessage[]; readonly hasMore: boolean }> {
  const { records } = await openConversation(memory, { id: conversation, tier });
  const where = { field: "created", op: "gte", value: since } as const;
  const end = batchTo ?? Number.POSITIVE_INFINITY;
  // The learner that started the batch may have had a larger `batchCountMax`.
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

/** Returns how many of the messages fit into `bytesMax`, at least 1. */
function countWithin(messages: readonly ConversationMessage[], bytesMax: number): number {
  let bytes = 0;
  const over = messages.findIndex(({ message }) => {
    bytes += Buffer.byteLength(JSON.stringify(message));
    return bytes > bytesMax;
  });
  return over === -1 ? messages.length : Math.max(1, over);
}
