import type { AgentMemory, ListResult, RetrieveRequest } from "@membus/agent-client";
import { type Filter, LIMITS } from "@membus/protocol";
import { chatMessage } from "./chat-message.js";
import { chatOffloads, chatSummary } from "./chat-offloads.js";
import { briefOf, cutText } from "./entry-brief.js";
import { distinct, findAnywhere } from "./find-anywhere.js";
import type { Chat, ChatMessage, ConversationBrief, ConversationPage } from "./inspector-api.js";
import { countField, optionalText, type Query, textField, tierField } from "./query-fields.js";

/** Namespace of conversations (clause REC-8). */
const NAMESPACE = "conversations";
const TITLE_LENGTH = 80;
const LAST_LENGTH = 160;
const SUMMARIES_MAX = 50;
const OFFLOADS_MAX = 200;
const LEARNED_MAX = 200;

/** The place of one conversation. */
type Place = Pick<RetrieveRequest, "namespace" | "tier" | "group">;

/** Lists the conversations of the agent, newest message first. */
export async function listConversations(memory: AgentMemory, query: Query): Promise<ConversationPage> {
  const limit = countField(query, "limit", { min: 1, max: 50, fallback: 25 });
  const place = { namespace: optionalText(query, "namespace") ?? NAMESPACE, tier: tierField(query) };
  const criteria = { ...place, field: "group" };
  const cursor = optionalText(query, "cursor");
  const where = kindIs("message");
  const page = await memory.list({ ...criteria, where, order: "newest", limit, cursor });
  const [summaries, texts] = await Promise.all([
    countOf("summary", page, (request) => memory.list({ ...criteria, ...request })),
    Promise.all(page.items.map(({ value }) => textsOf(memory, { ...place, group: String(value) }))),
  ]);
  return {
    conversations: page.items.map(({ value, count, newest, bytes }, n) => ({
      id: String(value),
      ...texts[n]!,
      messages: count,
      summaries: summaries.get(value) ?? 0,
      newest,
      bytes,
    })),
    total: page.total,
    ...(page.cursor !== undefined && { cursor: page.cursor }),
    degraded: distinct(page.degraded ?? []),
  };
}

/** Returns the first words of the user and the latest message. They are missing if the tier does not answer. */
async function textsOf(
  memory: AgentMemory,
  place: Place,
): Promise<Pick<ConversationBrief, "title" | "last">> {
  const [title, last] = await Promise.all([
    titleOf(memory, place),
    firstOf(memory, place, "newest", kindIs("message")),
  ]);
  return {
    ...title,
    ...(last !== undefined && { last: { role: last.role, text: cutText(last.text, LAST_LENGTH) } }),
  };
}

/** Returns the beginning of the first message of the user. It is missing without such a message. */
async function titleOf(memory: AgentMemory, place: Place): Promise<Pick<ConversationBrief, "title">> {
  const isUser: Filter = { field: "metadata.role", op: "eq", value: "user" };
  const first = await firstOf(memory, place, "oldest", { all: [kindIs("message"), isUser] });
  return first === undefined || first.text === "" ? {} : { title: cutText(first.text, TITLE_LENGTH) };
}

async function firstOf(
  memory: AgentMemory,
  place: Place,
  order: "newest" | "oldest",
  where: Filter,
): Promise<ChatMessage | undefined> {
  const { entries } = await memory.retrieve({ ...place, where, order, limit: 1 });
  return entries.flatMap((entry) => chatMessage(entry) ?? [])[0];
}

/** Counts the records of a kind in each group of a page. */
async function countOf(
  kind: string,
  { items }: ListResult,
  list: (request: { where: Filter; limit: number }) => Promise<ListResult>,
): Promise<ReadonlyMap<unknown, number>> {
  if (items.length === 0) return new Map();
  const ofPage: Filter = { field: "group", op: "in", value: items.map(({ value }) => String(value)) };
  const counted = await list({ where: { all: [kindIs(kind), ofPage] }, limit: LIMITS.listLimit });
  return new Map(counted.items.map(({ value, count }) => [value, count]));
}

/** Returns a page of one conversation with its summaries, offloads and learned entries. */
export async function readConversation(memory: AgentMemory, query: Query): Promise<Chat> {
  const id = textField(query, "id");
  const place: Place = {
    namespace: optionalText(query, "namespace") ?? NAMESPACE,
    tier: tierField(query),
    group: id,
  };
  const criteria = { ...place, order: "newest" } as const;
  const limit = countField(query, "limit", { min: 1, max: 100, fallback: 50 });
  const cursor = optionalText(query, "cursor");
  const [page, title, summaries] = await Promise.all([
    memory.retrieve({ ...criteria, where: kindIs("message"), limit, cursor }),
    titleOf(memory, place),
    memory.retrieve({ ...criteria, where: kindIs("summary"), limit: SUMMARIES_MAX }),
  ]);
  const messages = page.entries.flatMap((entry) => chatMessage(entry) ?? []).reverse();
  const [offloads, learned] = await Promise.all([
    memory.retrieve({ ...criteria, where: takenFrom(messages), limit: OFFLOADS_MAX }),
    learnedFrom(memory, messages),
  ]);
  return {
    id,
    ...title,
    messages,
    total: page.total,
    ...(page.cursor !== undefined && { cursor: page.cursor }),
    summaries: summaries.entries
      .flatMap((entry) => chatSummary(entry) ?? [])
      .sort((a, b) => b.covers.to - a.covers.to),
    offloads: chatOffloads(offloads.entries),
    learned: learned.entries,
    learned_truncated: learned.truncated,
    degraded: distinct([page, summaries, offloads, learned].flatMap(({ degraded }) => degraded ?? [])),
  };
}

function takenFrom(messages: readonly ChatMessage[]): Filter {
  const value = messages.map(({ id }) => id);
  return { all: [kindIs("offload"), { field: "metadata.message", op: "in", value }] };
}

async function learnedFrom(memory: AgentMemory, messages: readonly ChatMessage[]) {
  const hashes = new Set(messages.map(({ key_hash }) => key_hash));
  if (hashes.size === 0) return { entries: [], truncated: false, degraded: [] };
  const where: Filter = {
    all: [{ field: "sources", op: "in", value: [...hashes] }, { not: kindIs("summary", "offload", "part") }],
  };
  const { entries, ...rest } = await findAnywhere(memory, { where }, LEARNED_MAX);
  const learned = entries.map((entry) => ({
    ...briefOf(entry),
    sources: (entry.sources ?? []).filter((source) => hashes.has(source)),
  }));
  return { entries: learned, ...rest };
}

function kindIs(...kinds: readonly string[]): Filter {
  return { field: "metadata.kind", op: "in", value: [...kinds] };
}

/** Routes of the view *conversations*. */
export const CONVERSATION_ROUTES = { conversations: listConversations, conversation: readConversation };
