import { join } from "node:path";
import { verifyLog } from "@membus/disk";
import type { Logger, MemoryTier } from "@membus/protocol";
import type { Storage, StoragePart, StoredPart } from "../storage.js";
import { findLosses } from "./check-parts.js";
import { type FolderFacts, FolderManifest, type KeptPart } from "./folder-manifest.js";
import { formatProblem } from "./format-file.js";
import { LoggedRows } from "./logged-rows.js";
import { seqOf } from "./record.js";

/** What verifying the folder of a durable tier has found. */
export interface FolderReport {
  readonly records: number;
  readonly parts: readonly { readonly name: string; readonly rows: number }[];
  /** Each a sentence that names what is wrong, and where. None: a host opens the folder, and serves all that it holds. */
  readonly problems: readonly string[];
  /** Files that belong to nothing, such as a crash leaves. */
  readonly orphans: readonly string[];
}

export interface FolderPlace {
  readonly directory: string;
  readonly tier: MemoryTier;
  readonly logger: Logger;
}

/** Reads all of a tier's folder that nobody has open, and changes nothing. */
export async function verifyFolder(storage: Storage, place: FolderPlace): Promise<FolderReport> {
  const { directory } = place;
  const problems: string[] = [];
  const format = await formatProblem(directory);
  if (format !== undefined) problems.push(format);
  const manifest = await FolderManifest.read(directory, place);
  if (manifest.isLost)
    problems.push(`${join(directory, "folder.json")}, which says what the folder holds, is missing`);
  const { facts, keeper } = manifest;
  const present = (await storage.parts?.list()) ?? [];
  const owned = manifest.isLost ? [] : findLosses(present, facts.parts, facts.id);
  for (const { name, reason } of owned) problems.push(`${name} ${reason}`);
  const logged = new LoggedRows(facts.flushedSeq);
  const nextSeqMin = facts.flushedSeq + 1;
  const log = await verifyLog(join(directory, "log"), {
    ...{ nextSeqMin, keeper },
    onRecord: (seq, payload) => logged.add(seq, payload),
  });
  problems.push(...log.problems);
  const parts: FolderReport["parts"][number][] = [];
  const orphans: string[] = [];
  for await (const part of storage.verify?.() ?? []) {
    parts.push({ name: part.name, rows: part.rows.length });
    const kept = keptNow(
      manifest.part(part.name),
      present.find(({ name }) => name === part.name),
    );
    problems.push(...part.problems, ...rowProblems(part, { facts, kept, logged }));
    orphans.push(...part.orphans);
  }
  return { records: log.recordCount, parts, problems, orphans };
}

/** What is wrong with the rows of a part once the log's are added, as a start does. */
function rowProblems(
  { name, rows }: StoredPart,
  { facts, kept, logged }: { facts: FolderFacts; kept: KeptPart | undefined; logged: LoggedRows },
): string[] {
  const { flushedSeq, newestAt } = facts;
  // What came behind the marker is taken away at a start, and flushed again.
  const stored = rows.filter(({ rowId }) => seqOf(rowId) <= flushedSeq);
  const problems = countProblems(stored.length, kept);
  const ids = new Set<number>();
  const live = new Map<string, number>();
  const revisions = new Set<string>();
  for (const { scope, rowId, keyHash, revision } of stored) {
    const where = `row ${rowId} of ${scope} in ${name}`;
    if (ids.has(rowId)) problems.push(`${where} is there twice`);
    ids.add(rowId);
    if (revision / 1e6 > newestAt) problems.push(`${where} has a revision that was never given`);
    if (logged.isRemoved(rowId)) continue;
    const key = `${scope} ${keyHash}`;
    const other = live.get(key);
    if (other !== undefined) problems.push(`${where} and row ${other} are of the same key`);
    live.set(key, rowId);
    if (revisions.has(`${scope} ${revision}`)) problems.push(`${where} has the revision of another`);
    revisions.add(`${scope} ${revision}`);
  }
  return problems;
}

/** What is kept of a part, unless its rows have changed since, as when a crash cut a flush short. */
function keptNow(kept: KeptPart | undefined, present: StoragePart | undefined): KeptPart | undefined {
  const isSame = present?.contentId === undefined || present.contentId === kept?.contentId;
  return isSame ? kept : undefined;
}

function countProblems(count: number, kept: KeptPart | undefined): string[] {
  if (kept === undefined || count === kept.rowCount) return [];
  const { name, rowCount } = kept;
  const than = count < rowCount ? "fewer" : "more";
  return [`${name} has ${count} rows, ${than} than the ${rowCount} that folder.json knows`];
}
