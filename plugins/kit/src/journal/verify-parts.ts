import type { FolderFacts, FolderManifest, RecordedPart } from "../place/index.js";
import type { OnPartBytes, Storage, StoragePart, StoredPart } from "../storage.js";
import type { LoggedRemovals } from "./logged-removals.js";
import { seqOf } from "./record.js";

/** Result of reading all parts of a storage. */
export interface PartsReport {
  readonly parts: readonly { readonly name: string; readonly rows: number }[];
  /**
   * Each a sentence that names the problem and its place. Empty: a host can open the folder and serve all
   * entries.
   */
  readonly problems: readonly string[];
  /** Files that belong to nothing, for example left by a crash. */
  readonly orphans: readonly string[];
}

export interface PartsParts {
  readonly manifest: Pick<FolderManifest, "facts" | "part">;
  /** Parts that the storage has. */
  readonly present: readonly StoragePart[];
  /** Removals that the log has and the storage may lack. */
  readonly logged: LoggedRemovals;
  readonly onBytes: OnPartBytes;
}

/** Reads all parts of a storage and compares them with the manifest. Nothing may be written concurrently. */
export async function verifyParts(
  storage: Storage,
  { manifest, present, logged, onBytes }: PartsParts,
): Promise<PartsReport> {
  const parts: PartsReport["parts"][number][] = [];
  const problems: string[] = [];
  const orphans: string[] = [];
  for await (const part of storage.verify?.(onBytes) ?? []) {
    parts.push({ name: part.name, rows: part.rows.length });
    const kept = currentRecord(
      manifest.part(part.name),
      present.find(({ name }) => name === part.name),
    );
    problems.push(...part.problems, ...rowProblems(part, { facts: manifest.facts, kept, logged }));
    orphans.push(...part.orphans);
  }
  return { parts, problems, orphans };
}

/** Returns the problems of a part's rows after the log's removals are applied, like at a start. */
function rowProblems(
  { name, rows }: StoredPart,
  { facts, kept, logged }: { facts: FolderFacts; kept: RecordedPart | undefined; logged: LoggedRemovals },
): string[] {
  const { flushedSeq, newestAt } = facts;
  // A start removes later rows and flushes them again.
  const stored = rows.filter(({ rowId }) => seqOf(rowId) <= flushedSeq);
  const problems = countProblems(stored.length, kept);
  const ids = new Set<number>();
  const live = new Map<string, number>();
  const revisions = new Set<string>();
  for (const { scope, rowId, keyHash, revision } of stored) {
    const where = `row ${rowId} of ${scope} in ${name}`;
    if (ids.has(rowId)) problems.push(`${where} exists twice`);
    ids.add(rowId);
    if (revision / 1e6 > newestAt)
      problems.push(`${where} has a revision later than the newest recorded time`);
    if (logged.isRemoved(rowId)) continue;
    const key = `${scope} ${keyHash}`;
    const other = live.get(key);
    if (other !== undefined) problems.push(`${where} and row ${other} have the same key`);
    live.set(key, rowId);
    if (revisions.has(`${scope} ${revision}`)) problems.push(`${where} has the same revision as another row`);
    revisions.add(`${scope} ${revision}`);
  }
  return problems;
}

/**
 * Returns the recorded state of a part, or undefined if its rows have changed since, for example when a crash
 * interrupted a flush.
 */
function currentRecord(
  kept: RecordedPart | undefined,
  present: StoragePart | undefined,
): RecordedPart | undefined {
  const isSame = present?.contentId === undefined || present.contentId === kept?.contentId;
  return isSame ? kept : undefined;
}

function countProblems(count: number, kept: RecordedPart | undefined): string[] {
  if (kept === undefined || count === kept.rowCount) return [];
  const { name, rowCount } = kept;
  const than = count < rowCount ? "fewer" : "more";
  return [`${name} has ${count} rows, ${than} than the ${rowCount} recorded in folder.json`];
}
