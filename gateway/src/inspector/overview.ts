import type { AgentMemory, ListResult } from "@membus/agent-client";
import { isMemoryError, LIMITS, type MemoryTier, TIERS } from "@membus/protocol";
import { agentNames } from "./agent-names.js";
import { PRIVATE_TIERS } from "./agents.js";
import { BoundedReads } from "./bounded-reads.js";
import { sumOf } from "./count-entries.js";
import { growthOf, type Part, stepsOf } from "./growth.js";
import type { Overview, TierFigures } from "./inspector-api.js";
import type { KnownAgents } from "./known-agents.js";
import { NO_AGENT } from "./no-agent.js";
import { textField } from "./query-fields.js";
import { conversationUsers, usersIn } from "./users.js";
import type { ViewDependencies, ViewRoute } from "./view-route.js";

const READS_MAX = 600;
const AGENTS_MAX = 50;
const KINDS_MAX = 50;
const LARGEST_SHOWN = 8;

/** The namespaces of a part. Null: unknown. */
interface ListedPart extends Part {
  readonly list: ListResult | null;
}

/** The lists of a part. Null: unknown. */
interface CountedPart extends ListedPart {
  readonly kinds: ListResult | null;
  readonly conversations: ListResult | null;
}

/**
 * Returns figures about all memory of the agent, or of all known agents if the page shows a whole tenant. A
 * figure that cannot be read within bounds is null.
 */
export function overviewRoute({ clock }: Pick<ViewDependencies, "clock">, known: KnownAgents): ViewRoute {
  return async (memory, query): Promise<Overview> => {
    const reads = new BoundedReads(clock, { countMax: READS_MAX });
    const steps = stepsOf(query, clock.now());
    const agents = await agentsOf(memory, reads, await known.of(textField(query, "tenant")));
    const listed = await Promise.all(
      partsOf(memory, agents ?? []).map((part) => withNamespaces(part, reads)),
    );
    // An empty part needs no further reads.
    const filled = listed.filter(({ list }) => list === null || list.items.length > 0);
    const counted = await Promise.all(filled.map((part) => withCounts(part, reads)));
    const isWhole = agents !== undefined && listed.every(({ list }) => isComplete(list));
    return {
      at: clock.now(),
      agents: agents?.length ?? null,
      tiers: TIERS.map((tier) => tierFigures(tier, listed, agents !== undefined)),
      ...(isWhole ? figuresOf(counted) : UNKNOWN),
      growth: await growthOf(isWhole ? filled : undefined, reads, steps),
    };
  };
}

/** Returns undefined if they are not known, or too many to count. */
async function agentsOf(
  memory: AgentMemory,
  reads: BoundedReads,
  known: readonly string[],
): Promise<readonly string[] | undefined> {
  if (memory.agent !== NO_AGENT) return [memory.agent];
  const { authors, names } = await agentNames(memory, reads, known);
  return authors === null || names.length > AGENTS_MAX ? undefined : names;
}

/** The shared tier is a part once, because all agents see the same entries in it. */
function partsOf(memory: AgentMemory, agents: readonly string[]): Part[] {
  const own = agents.flatMap((name) =>
    PRIVATE_TIERS.map((tier) => ({ memory: memory.forAgent(name), tier })),
  );
  return [{ memory, tier: "semantic" }, ...own];
}

async function withNamespaces(part: Part, reads: BoundedReads): Promise<ListedPart> {
  return { ...part, list: await reads.read(() => namespacesOf(part)) };
}

/** Returns no items for a tier that is not served. */
async function namespacesOf({ memory, tier }: Part): Promise<ListResult> {
  try {
    return await memory.list({ tier, namespace: "**", limit: LIMITS.listLimit });
  } catch (error) {
    if (isMemoryError(error) && error.code === "unsupported") {
      return { items: [], total: 0, total_relation: "eq" };
    }
    throw error;
  }
}

async function withCounts(part: ListedPart, reads: BoundedReads): Promise<CountedPart> {
  const { memory, tier } = part;
  const request = {
    tier,
    namespace: "**",
    field: "metadata.kind",
    order: "count",
    limit: KINDS_MAX,
  } as const;
  const [kinds, conversations] = await Promise.all([
    reads.read(() => memory.list(request)),
    reads.read(() => conversationUsers(memory, tier)),
  ]);
  return { ...part, kinds, conversations };
}

function isComplete(list: ListResult | null): list is ListResult {
  return list !== null && list.cursor === undefined && (list.degraded ?? []).length === 0;
}

function tierFigures(tier: MemoryTier, parts: readonly ListedPart[], areAgentsKnown: boolean): TierFigures {
  const lists = parts.filter((part) => part.tier === tier).map(({ list }) => list);
  const isKnown = tier === "semantic" || areAgentsKnown;
  if (!isKnown || !lists.every(isComplete)) return { tier, entries: null, bytes: null };
  const { entries, bytes } = sumOf({ items: lists.flatMap(({ items }) => items) });
  return { tier, entries, bytes };
}

const UNKNOWN = { kinds: null, namespaces: null, largest: null, users: null };

/** @param parts with complete lists of namespaces. */
function figuresOf(parts: readonly CountedPart[]): Pick<Overview, keyof typeof UNKNOWN> {
  const namespaces = merged(parts.map(({ list }) => list))!;
  const kinds = merged(parts.map((part) => part.kinds));
  const conversations = parts.map((part) => part.conversations);
  const lists = parts.flatMap(({ list }) => list ?? []);
  const known = conversations.every(isComplete) ? conversations : undefined;
  return {
    kinds: kinds?.map(([kind, entries]) => ({ kind, entries })) ?? null,
    namespaces: namespaces.length,
    largest: namespaces.slice(0, LARGEST_SHOWN).map(([name, entries]) => ({ name, entries })),
    users: known === undefined ? null : usersIn(lists, known).length,
  };
}

/** Adds the counts of each value up, largest first. Returns undefined if a list is not complete. */
function merged(lists: readonly (ListResult | null)[]): (readonly [string, number])[] | undefined {
  if (!lists.every(isComplete)) return undefined;
  const counts = new Map<string, number>();
  for (const { value, count } of lists.flatMap(({ items }) => items)) {
    counts.set(String(value), (counts.get(String(value)) ?? 0) + count);
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}
