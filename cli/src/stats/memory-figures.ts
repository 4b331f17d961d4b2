import type { AgentMemory, ListResult } from "@membus/agent-client";
import { type Filter, isMemoryError, LIMITS, type MemoryTier, TIERS } from "@membus/protocol";
import type { Bar } from "../terminal/plots.js";

/** Steps of the growth: half days of two weeks. */
const STEP_COUNT = 28;
const STEP_S = 43_200;
const KINDS_MAX = 20;
/** Name of entries that are no records. */
const NO_KIND = "without a kind";

/** Numbers of the entries of an agent. Figures that the hosts refuse are absent. */
export interface MemoryFigures {
  readonly tiers: readonly Bar[];
  /** The most frequent kinds of records, by number. */
  readonly kinds: readonly Bar[];
  /** Number of entries that were created in each step and still exist, oldest first. */
  readonly growth?: readonly number[] | undefined;
  /** Start of the first step, in Unix seconds. */
  readonly since: number;
  /** One line for each absent figure, with the reason. */
  readonly notes: readonly string[];
}

/** Counts the entries that the agent of `memory` may read. Tiers that are not served have none. */
export async function readMemoryFigures(memory: AgentMemory, now: number): Promise<MemoryFigures> {
  const notes: string[] = [];
  const tiers: Bar[] = [];
  for (const tier of TIERS) {
    const value = await readable(notes, `the ${tier} tier`, () => count(memory, tier));
    if (value !== undefined) tiers.push({ name: tier, value });
  }
  const filled = TIERS.filter((tier) => tiers.some(({ name, value }) => name === tier && value > 0));
  const total = sum(tiers.map(({ value }) => value));
  const kinds = await readable(notes, "the plot by kind", () => kindsOf(memory, filled, total));
  const since = (Math.floor(now / STEP_S) - STEP_COUNT + 1) * STEP_S;
  const growth = await readable(notes, "the plot of new entries", () => growthOf(memory, filled, since));
  return { tiers, kinds: kinds ?? [], growth, since, notes };
}

/** Returns undefined and adds a note if the hosts refuse a figure. */
async function readable<Figure>(
  notes: string[],
  name: string,
  read: () => Promise<Figure>,
): Promise<Figure | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    notes.push(`${name} is left out: ${error.message}`);
    return undefined;
  }
}

/** Counts step after step, so that at most one request for each tier runs. */
async function growthOf(memory: AgentMemory, tiers: readonly MemoryTier[], since: number): Promise<number[]> {
  const growth: number[] = [];
  for (let step = 0; step < STEP_COUNT; step++) {
    const from = since + step * STEP_S;
    growth.push(
      sum(await Promise.all(tiers.map((tier) => count(memory, tier, createdIn(from, from + STEP_S))))),
    );
  }
  return growth;
}

async function kindsOf(memory: AgentMemory, tiers: readonly MemoryTier[], total: number): Promise<Bar[]> {
  const counts = new Map<string, number>();
  for (const tier of tiers) {
    const request = {
      tier,
      namespace: "**",
      field: "metadata.kind",
      order: "count",
      limit: KINDS_MAX,
    } as const;
    for (const { value, count } of (await memory.list(request)).items) {
      counts.set(String(value), (counts.get(String(value)) ?? 0) + count);
    }
  }
  const rest = total - sum([...counts.values()]);
  const kinds = [...counts, ...(rest > 0 ? [[NO_KIND, rest] as const] : [])];
  return kinds.map(([name, value]) => ({ name, value })).sort((a, b) => b.value - a.value);
}

/** Adds the entries of all namespaces up. */
async function count(memory: AgentMemory, tier: MemoryTier, where?: Filter): Promise<number> {
  const request = { tier, namespace: "**", depth: 1, limit: LIMITS.listLimit, ...(where && { where }) };
  let total = 0;
  let cursor: string | undefined;
  try {
    do {
      const page: ListResult = await memory.list({ ...request, ...(cursor && { cursor }) });
      total += sum(page.items.map((item) => item.count));
      cursor = page.cursor;
    } while (cursor !== undefined);
  } catch (error) {
    if (isMemoryError(error) && error.code === "unsupported") return 0;
    throw error;
  }
  return total;
}

function createdIn(from: number, until: number): Filter {
  return {
    all: [
      { field: "created", op: "gte", value: from },
      { field: "created", op: "lt", value: until },
    ],
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
