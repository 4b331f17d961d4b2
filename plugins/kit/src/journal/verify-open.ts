import type { Log } from "@membus/disk";
import { isMemoryError } from "@membus/protocol";
import type { FolderManifest } from "../place/index.js";
import type { Storage } from "../storage.js";
import type { Flusher } from "./flusher.js";
import { LoggedRemovals } from "./logged-removals.js";
import type { FolderReport } from "./verify-folder.js";
import { verifyParts } from "./verify-parts.js";

/** Records that are read at a time. */
const READS_MAX = 16;

export interface OpenParts {
  readonly manifest: FolderManifest;
  readonly storage: Storage;
  readonly flusher: Flusher;
  readonly log: Log;
}

/**
 * Reads all parts and all acknowledged records of an open tier. Requests are still served. Flushes and erasures wait.
 * @throws {MemoryError} `unavailable` if the rows cannot be flushed, or if the log or the storage cannot be reached.
 */
export async function verifyOpen({ manifest, storage, flusher, log }: OpenParts): Promise<FolderReport> {
  await flusher.flush();
  return flusher.pauseWrites(async () => {
    const present = (await storage.parts?.list()) ?? [];
    // The storage has all removals up to the last flush.
    const logged = new LoggedRemovals(manifest.facts.flushedSeq);
    const found = await verifyParts(storage, { manifest, present, logged, onBytes() {} });
    const { records, problems } = await readRecords(log);
    return { ...found, records, problems: [...found.problems, ...problems] };
  });
}

async function readRecords(log: Log): Promise<Pick<FolderReport, "records" | "problems">> {
  const { firstSeq, nextSeq, queuedCount } = log.stats;
  const endSeq = nextSeq - queuedCount;
  const problems: string[] = [];
  for (let from = firstSeq; from < endSeq; from += READS_MAX) {
    const count = Math.min(READS_MAX, endSeq - from);
    const reads = Array.from({ length: count }, (_, index) => damageOf(log, from + index));
    problems.push(...(await Promise.all(reads)).flat());
  }
  return { records: Math.max(endSeq - firstSeq, 0), problems };
}

async function damageOf(log: Log, seq: number): Promise<string[]> {
  try {
    await log.read(seq);
    return [];
  } catch (error) {
    if (isMemoryError(error) && error.code === "unavailable") throw error;
    return [`record ${seq} of the log cannot be read: ${(error as Error).message}`];
  }
}
