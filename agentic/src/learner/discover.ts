import type { AgentMemory } from "@membus/agent-client";
import type { Filter, MemoryTier } from "@membus/protocol";
import { recordProblem } from "@membus/protocol/records";
import { CONVERSATIONS_NAMESPACE } from "../conversation/index.js";
import { type FoundMessages, withFoundMessages } from "./cursor.js";
import type { CursorStore, Frontier } from "./cursor-store.js";
import type { ResolvedLearnerOptions } from "./learner-options.js";

/** Messages per page. */
const PAGE = 200;

/** Seconds by which a host's clock may have gone back at a restart. */
const CLOCK_BACK_S = 60;

/**
 * Finds new messages and records them in the cursors of their conversations. The frontier moves afterwards,
 * so that after a crash the next search finds them again.
 */
export async function discover(
  memory: AgentMemory,
  cursors: CursorStore,
  options: ResolvedLearnerOptions,
): Promise<void> {
  const frontier = await cursors.frontier();
  const foundByConversation = new Map<string, FoundMessages>();
  let newest = frontier;
  for await (const { conversation, seq, created } of messagesSince(memory, options.tier, frontier)) {
    if (seq <= frontier.seq) continue;
    if (seq > newest.seq) newest = { seq, created };
    const found = { seen: seq, since: created, last: created };
    foundByConversation.set(conversation, mergeFound(foundByConversation.get(conversation), found));
  }
  if (newest === frontier) return;
  await cursors.recordFound(foundByConversation, (cursor, found) =>
    withFoundMessages(cursor, found, options),
  );
  await cursors.moveFrontier(newest);
}

async function* messagesSince(memory: AgentMemory, tier: MemoryTier, { created }: Frontier) {
  const where: Filter = {
    all: [
      { field: "metadata.kind", op: "eq", value: "message" },
      { field: "created", op: "gte", value: Math.max(0, created - CLOCK_BACK_S) },
    ],
  };
  const conversations = memory.inNamespace(CONVERSATIONS_NAMESPACE);
  for await (const entry of conversations.entries({ where, tier, order: "oldest" }, { pageSize: PAGE })) {
    // A head of a message in parts is accepted too.
    if (recordProblem(entry) !== undefined) continue;
    yield {
      conversation: entry.key.conversation as string,
      seq: entry.seq,
      created: entry.timestamps.created,
    };
  }
}

function mergeFound(one: FoundMessages | undefined, other: FoundMessages): FoundMessages {
  if (one === undefined) return other;
  return {
    seen: Math.max(one.seen, other.seen),
    since: Math.min(one.since, other.since),
    last: Math.max(one.last, other.last),
  };
}
