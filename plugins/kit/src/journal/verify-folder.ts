import { join } from "node:path";
import { verifyLog } from "@membus/disk";
import type { MemoryTier } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { FolderManifest, formatProblem, MANIFEST_FILE, manifestFile, markerFiles } from "../place/index.js";
import type { OnPartBytes, Storage } from "../storage.js";
import { findLosses } from "./check-parts.js";
import { LoggedRemovals } from "./logged-removals.js";
import { type PartsReport, verifyParts } from "./verify-parts.js";

const LOG_PART = "log";

/** Result of verifying the folder of a durable tier. */
export interface FolderReport extends PartsReport {
  /** Records of the log. */
  readonly records: number;
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
  const found = await verifyParts(storage, { manifest, present, logged, onBytes });
  problems.push(...found.problems);
  return { ...found, records: log.recordCount, problems };
}
