import type { MemoryEntry, MemoryTier } from "@membus/protocol";
import { isHead, isRecordKind, joinRecord, partKeys, recordProblem } from "@membus/protocol/records";
import type { MemoryAgent } from "../memory-agent.js";

/** Entries counted by kind. */
export interface RecordsFound {
  /** Kind -> number of valid records. */
  readonly records: Map<string, number>;
  parts: number;
  /** Number of entries without a kind, or with a kind that chapter 7 does not define. */
  others: number;
  /** Number of entries with a kind of chapter 7 that are not valid records. */
  wrong: number;
}

/** Maximum number of entries per request. Pages end earlier if they would be too large. */
const PAGE_ENTRIES = 200;

/**
 * Reads all entries that an agent sees in its namespace, page by page. Reports the location, field path and
 * reason for each invalid record.
 * @param tier null for all
 */
export async function checkRecords(
  agent: MemoryAgent,
  tier: MemoryTier | null,
  say: (line: string) => void,
): Promise<RecordsFound> {
  const found: RecordsFound = { records: new Map(), parts: 0, others: 0, wrong: 0 };
  let cursor: string | undefined;
  do {
    const page = await agent.retrieve({ tier, order: "oldest", limit: PAGE_ENTRIES, cursor });
    for (const entry of page.entries) await checkEntry(agent, entry, found, say);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

async function checkEntry(
  agent: MemoryAgent,
  entry: MemoryEntry,
  found: RecordsFound,
  say: (line: string) => void,
): Promise<void> {
  const kind = entry.metadata?.kind;
  const problem = recordProblem(entry) ?? (await joinedProblem(agent, entry));
  if (problem !== undefined) {
    found.wrong++;
    const { path, message } = problem;
    say(`${entry.tier} ${entry.namespace} ${JSON.stringify(entry.key)} ${String(kind)}: ${path}: ${message}`);
  } else if (isRecordKind(kind)) found.records.set(kind, (found.records.get(kind) ?? 0) + 1);
  else if (kind === "part") found.parts++;
  else found.others++;
}

/**
 * Returns the problem of a record that consists of a head and parts. Parts are fetched one by one because
 * they are large.
 */
async function joinedProblem(agent: MemoryAgent, entry: MemoryEntry) {
  if (!isRecordKind(entry.metadata?.kind) || !isHead(entry)) return undefined;
  const parts: MemoryEntry[] = [];
  for (const key of partKeys(entry)) {
    parts.push(...(await agent.retrieve({ tier: entry.tier, keys: [key as never] })).entries);
  }
  const whole = joinRecord(entry, parts);
  if (whole !== undefined) return recordProblem(whole);
  return { path: "content.parts", message: `a part is missing or changed (${parts.length} are there)` };
}
