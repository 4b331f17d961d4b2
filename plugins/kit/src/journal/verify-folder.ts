import { join } from "node:path";
import { verifyLog } from "@membus/disk";
import type { MemoryTier } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import {
  type FolderFacts,
  FolderManifest,
  formatProblem,
  MANIFEST_FILE,
  manifestFile,
  markerFiles,
  type RecordedPart,
} from "../place/index.js";
import type { OnPartBytes, Storage, StoragePart, StoredPart } from "../storage.js";
import { findLosses } from "./check-parts.js";
import { LoggedRemovals } from "./logged-removals.js";
import { seqOf } from "./record.js";

const LOG_PART = "log";

/** Result of verifying the folder of a durable tier. */
export interface FolderReport {
  readonly records: number;
  readonly parts: readonly { readonly name: string; readonly rows: number }[];
  /**
   * Each a sentence that names the problem and its place. Empty: a host can open the folder and serve all
   * entries.
   */
  readonly problems: readonly string[];
  /** Files that belong to nothing, for example left by a crash. */
  readonly orphans: readonly string[];
}

export interface FolderLocation {
  readonly directory: string;
  readonly tier: MemoryTier;
  readonly logger: Logger;
  /** Receives the progress. The log is the part `log`. */
  readonly onBytes?: OnPartBytes | undefined;
}

/** Verifies a complete tier folder that is not open. Changes nothing. */
export async function verifyFolder(storage: Storage, place: FolderLocation): Promise<FolderReport> {
  const { directory } = place;
  const problems: string[] = [];
  const format = await formatProblem(directory);
  if (format !== undefined) problems.push(format);
  const { tier, logger, onBytes = () => {} } = place;
  const store = manifestFile(directory, tier, markerFiles(directory, logger));
  const manifest = await FolderManifest.open(store, tier);
  if (manifest.isLost)
    problems.push(
      `${join(directory, MANIFEST_FILE)}, the list of the folder's contents, is missing or damaged`,
    );
  const { facts, keeper } = manifest;
  const present = (await storage.parts?.list()) ?? [];
  const owned = manifest.isLost ? [] : findLosses(present, facts.parts, facts.id);
  for (const { name, reason } of owned) problems.push(`${name} ${reason}`);
  const logged = new LoggedRemovals(facts.flushedSeq);
  const nextSeqMin = facts.flushedSeq + 1;
  const log = await verifyLog(join(directory, "log"), {
    ...{ nextSeqMin, keeper },
    onRecord: (seq, payload) => logged.add(seq, payload),
    onBytes: (count) => onBytes(count, LOG_PART),
  });
  problems.push(...log.problems);
  const parts: FolderReport["parts"][number][] = [];
  const orphans: string[] = [];
  for await (const part of storage.verify?.(onBytes) ?? []) {
    parts.push({ name: part.name, rows: part.rows.length });
    const kept = currentRecord(
      manifest.part(part.name),
      present.find(({ name }) => name === part.name),
    );
    problems.push(...part.problems, ...rowProblems(part, { facts, kept, logged }));
    orphans.push(...part.orphans);
  }
  return { records: log.recordCount, parts, problems, orphans };
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
