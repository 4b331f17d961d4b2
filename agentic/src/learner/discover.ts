import type { AgentMemory } from "@membus/agent-client";
import { type Filter, type MemoryTier, recordProblem } from "@membus/protocol";
import { CONVERSATIONS_NAMESPACE } from "../conversation/index.js";
import { type Sighting, sighted } from "./cursor.js";
import type { Cursors, Frontier } from "./cursors.js";
import type { ResolvedLearnerOptions } from "./learner-options.js";

/** Messages that are read at once. */
const PAGE = 200;

/** A host's clock may have gone back by so many seconds when it was started again. */
const CLOCK_BACK_S = 60;

/**
 * Finds messages that nobody has found yet, and notes them in the cursors of their conversations. The frontier follows
 * when that is done: killed before, the next look finds them again.
 */
export async function discover(
  memory: AgentMemory,
  cursors: Cursors,
  options: ResolvedLearnerOptions,
): Promise<void> {
  const frontier = await cursors.frontier();
  const sightings = new Map<string, Sighting>();
  let newest = frontier;
  for await (const { conversation, seq, created } of messagesSince(memory, options.tier, frontier)) {
    if (seq <= frontier.seq) continue;
    if (seq > newest.seq) newest = { seq, created };
    const sighting = { seen: seq, since: created, last: created };
    sightings.set(conversation, joined(sightings.get(conversation), sighting));
  }
  if (newest === frontier) return;
  await cursors.note(sightings, (cursor, sighting) => sighted(cursor, sighting, options));
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
    // One whose content is in parts is a message as well.
    if (recordProblem(entry) !== undefined) continue;
    yield {
      conversation: entry.key.conversation as string,
      seq: entry.seq,
      created: entry.timestamps.created,
    };
  }
}

function joined(one: Sighting | undefined, other: Sighting): Sighting {
  if (one === undefined) return other;
  return {
    seen: Math.max(one.seen, other.seen),
    since: Math.min(one.since, other.since),
    last: Math.max(one.last, other.last),
  };
}
