import type { AgentMemory } from "@membus/agent-client";
import type { MemoryEntry, MemoryTier } from "@membus/protocol";
import { expect, vi } from "vitest";
import type { Lane, LaneState } from "./lane.js";
import { COMMON_WORD } from "./operation.js";

const QUERIES = 5;
const QUERY_LENGTH = 40;
const ENTRIES_MAX = 100;
const VECTORS_WITHIN_MS = 20_000;

/** The entries that all lanes of one memory and tier share a partition with. */
export interface Shelf {
  readonly memory: AgentMemory;
  readonly tier: MemoryTier;
  readonly lanes: readonly Lane[];
}

/** Requires of every lane one of its possible states, no entry twice, and the totals to agree with what is listed. */
export async function expectShelf({ memory, tier, lanes }: Shelf): Promise<void> {
  const entries = await listEntries(memory, tier);
  const states = statesOf(entries);
  for (const lane of lanes) lane.expectState(states.get(lane.owner.lane) ?? new Map());
  const size = lanes.reduce((sum, lane) => sum + lane.size, 0);
  const listed = await memory.retrieve({ tier, limit: 0 });
  const found = await memory.retrieve({ tier, limit: 0, query: COMMON_WORD });
  expect([entries.length, listed.total, found.total]).toEqual([size, size, size]);
}

/**
 * Requires the relevance of every entry to be what it is where the same entries were stored once and nothing else ever
 * happened: what was overwritten, forgotten or half written leaves no trace in the statistics either.
 */
export async function expectRelevanceAsIfNew({ memory, tier }: Shelf): Promise<void> {
  const entries = await listEntries(memory, tier);
  const anew = memory.inNamespace("as-if-new");
  const stored = entries.map(({ key, content, tags, occurred_at }) => ({
    key,
    content,
    tags,
    occurred_at,
    tier,
  }));
  expect((await anew.store(stored)).errors).toEqual([]);
  const texts = entries.slice(0, QUERIES).map(({ content }) => (content as { text: string }).text);
  for (const query of [COMMON_WORD, ...texts.map((text) => text.slice(0, QUERY_LENGTH))]) {
    expect(await scoresOf(memory, tier, query)).toEqual(await scoresOf(anew, tier, query));
  }
  await anew.forget({ tier, all: true });
}

async function scoresOf(memory: AgentMemory, tier: MemoryTier, query: string): Promise<unknown[]> {
  const { entries, total } = await vi.waitFor(async () => {
    const page = await memory.retrieve({ tier, query, limit: ENTRIES_MAX });
    // What was stored last may have no vector yet.
    expect(page.degraded).toBeUndefined();
    return page;
  }, VECTORS_WITHIN_MS);
  expect(total).toBeLessThanOrEqual(ENTRIES_MAX);
  return entries.map(({ key, score }) => `${JSON.stringify(key)} ${score}`).sort();
}

/** Requires that no key comes twice. */
export async function listEntries(memory: AgentMemory, tier: MemoryTier): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = [];
  for await (const entry of memory.entries({ tier })) entries.push(entry);
  const keys = entries.map(({ key }) => JSON.stringify(key));
  expect(keys.length).toBe(new Set(keys).size);
  return entries;
}

function statesOf(entries: readonly MemoryEntry[]): Map<string, LaneState> {
  const states = new Map<string, Map<number, { text: string; revision: number }>>();
  for (const { key, content, revision } of entries) {
    const { lane, slot } = key as { lane: string; slot: number };
    const { text } = content as { text: string };
    const state = states.get(lane) ?? new Map();
    states.set(lane, state.set(slot, { text, revision }));
  }
  return states;
}
