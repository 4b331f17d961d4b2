import { deepStrictEqual } from "node:assert/strict";
import type { AgentMemory } from "@membus/agent-client";
import { delay, type MemoryEntry, type MemoryTier, systemClock } from "@membus/protocol";
import type { Findings } from "./findings.js";
import type { Lane } from "./lane.js";
import type { LaneState, Standing } from "./lane-state.js";
import { allEntries, listEntries, repeatedKeys } from "./list-entries.js";
import { COMMON_WORD } from "./operation.js";

const QUERIES = 5;
const QUERY_LENGTH = 40;
const ENTRIES_MAX = 100;
const VECTORS_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** A partition shared by all lanes of one tier and namespace. */
export interface Shelf {
  /** Client of any agent that can read all entries. */
  readonly memory: AgentMemory;
  readonly tier: MemoryTier;
  readonly lanes: readonly Lane[];
}

/**
 * Checks that every lane is in one of its possible states, no entry is listed twice, and the totals match the
 * list.
 */
export async function verifyShelf({ memory, tier, lanes }: Shelf, findings: Findings): Promise<void> {
  const entries = await allEntries(memory, tier);
  for (const key of repeatedKeys(entries)) findings.found("doubled", `${tier} ${key} is listed twice`);
  const states = statesOf(entries);
  for (const lane of lanes) lane.verify(states.get(lane.owner.lane) ?? new Map());
  const size = lanes.reduce((sum, lane) => sum + lane.size, 0);
  const listed = await memory.retrieve({ tier, limit: 0 });
  const found = await memory.retrieve({ tier, limit: 0, query: COMMON_WORD });
  for (const { total } of [listed, found]) {
    if (total < size) findings.found("lost", `${tier}: ${size} entries, counted as ${total}`);
    if (total > size) findings.found("back", `${tier}: ${size} entries, counted as ${total}`);
  }
}

/**
 * Requires the relevance of every entry to equal the one in a new store with the same entries. Overwritten,
 * forgotten and unfinished writes must not influence the statistics.
 */
export async function requireRelevanceAsIfNew({ memory, tier }: Shelf): Promise<void> {
  const entries = await listEntries(memory, tier);
  const anew = memory.inNamespace(`${memory.namespace}/as-if-new`);
  const stored = entries.map(({ key, content, tags, occurred_at }) => ({
    key,
    content,
    tags,
    occurred_at,
    tier,
  }));
  deepStrictEqual((await anew.store(stored)).errors, []);
  const texts = entries.slice(0, QUERIES).map(({ content }) => (content as { text: string }).text);
  for (const query of [COMMON_WORD, ...texts.map((text) => text.slice(0, QUERY_LENGTH))]) {
    const [scores, scoresAnew] = [await scoresOf(memory, tier, query), await scoresOf(anew, tier, query)];
    deepStrictEqual(scores, scoresAnew, `relevance for ${query}`);
  }
  await anew.forget({ tier, all: true });
}

/** Waits for vectors, because recently stored entries may not be embedded yet. */
async function scoresOf(memory: AgentMemory, tier: MemoryTier, query: string): Promise<unknown[]> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const { entries, total, degraded } = await memory.retrieve({ tier, query, limit: ENTRIES_MAX });
    if (degraded === undefined) {
      deepStrictEqual(total, entries.length, "more entries than a page has");
      return entries.map(({ key, score }) => `${JSON.stringify(key)} ${score}`).sort();
    }
    if (waitedMs >= VECTORS_WITHIN_MS)
      throw new Error(`${tier} entries are not embedded: ${degraded.join()}`);
    await delay(systemClock, LOOK_EVERY_MS);
  }
}

function statesOf(entries: readonly MemoryEntry[]): Map<string, LaneState> {
  const states = new Map<string, Map<number, Standing>>();
  for (const { key, content, revision } of entries) {
    const { lane, slot } = key as { lane: string; slot: number };
    const { text } = content as { text: string };
    const state = states.get(lane) ?? new Map<number, Standing>();
    states.set(lane, state.set(slot, { text, revision }));
  }
  return states;
}
