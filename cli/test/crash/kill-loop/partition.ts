import { deepStrictEqual } from "node:assert/strict";
import type { AgentMemory } from "@membus/agent-client";
import { delay, type MemoryEntry, type MemoryTier, systemClock } from "@membus/protocol";
import type { Findings } from "./findings.js";
import { allEntries, listEntries, repeatedKeys } from "./list-entries.js";
import { COMMON_WORD } from "./operation.js";
import type { Writer } from "./writer.js";
import type { ExpectedEntry, WriterState } from "./writer-state.js";

const QUERIES = 5;
const QUERY_LENGTH = 40;
const ENTRIES_MAX = 100;
const VECTORS_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** A partition shared by all writers of one tier and namespace. */
export interface Partition {
  /** Client of any agent that can read all entries. */
  readonly memory: AgentMemory;
  readonly tier: MemoryTier;
  readonly writers: readonly Writer[];
}

/**
 * Checks that every writer is in one of its possible states, no entry is listed twice, and the totals match the
 * list.
 */
export async function verifyPartition(
  { memory, tier, writers }: Partition,
  findings: Findings,
): Promise<void> {
  const entries = await allEntries(memory, tier);
  for (const key of repeatedKeys(entries)) findings.found("doubled", `${tier} ${key} is listed twice`);
  const states = statesOf(entries);
  for (const writer of writers) writer.verify(states.get(writer.owner.writer) ?? new Map());
  const size = writers.reduce((sum, writer) => sum + writer.size, 0);
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
export async function requireRelevanceAsIfNew({ memory, tier }: Partition): Promise<void> {
  const entries = await listEntries(memory, tier);
  const copy = memory.inNamespace(`${memory.namespace}/as-if-new`);
  const stored = entries.map(({ key, content, tags, occurred_at }) => ({
    key,
    content,
    tags,
    occurred_at,
    tier,
  }));
  await copy.store(stored);
  const texts = entries.slice(0, QUERIES).map(({ content }) => (content as { text: string }).text);
  for (const query of [COMMON_WORD, ...texts.map((text) => text.slice(0, QUERY_LENGTH))]) {
    const [scores, expectedScores] = [await scoresOf(memory, tier, query), await scoresOf(copy, tier, query)];
    deepStrictEqual(scores, expectedScores, `relevance for ${query}`);
  }
  await copy.forget({ tier, all: true });
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

function statesOf(entries: readonly MemoryEntry[]): Map<string, WriterState> {
  const states = new Map<string, Map<number, ExpectedEntry>>();
  for (const { key, content, revision } of entries) {
    const { writer, slot } = key as { writer: string; slot: number };
    const { text } = content as { text: string };
    const state = states.get(writer) ?? new Map<number, ExpectedEntry>();
    states.set(writer, state.set(slot, { text, revision }));
  }
  return states;
}
