import { access, copyFile, rename, stat } from "node:fs/promises";
import type { Logger } from "@membus/protocol";
import { syncDirectory } from "../directory/index.js";
import { FRAME_HEADER_BYTES } from "./frame.js";
import type { SegmentInspection } from "./inspect-segment.js";
import type { OnRecord } from "./log.js";
import type { LogDamage } from "./log-error.js";
import type { OpenLogFile } from "./log-file.js";
import { useLogFile } from "./log-file.js";
import { createClosedSegment, type Segment } from "./segment.js";
import type { SegmentFile } from "./segment-files.js";

export interface RecoveredLog {
  /** In order; the last is the one to append to. */
  readonly segments: Segment[];
  readonly cutBytes: number;
}

export interface RecoveryDependencies {
  readonly logger: Logger;
  readonly openFile: OpenLogFile;
  readonly onRecord?: OnRecord;
}

export interface DamagedLog {
  readonly directory: string;
  readonly damage: LogDamage;
  /** The sound segments before the damage. */
  readonly kept: readonly Segment[];
  /** What the damaged file holds. */
  readonly found: SegmentInspection;
  /** The damaged file and all behind it. */
  readonly files: readonly SegmentFile[];
}

/**
 * Cuts a log at its damage, and keeps what is cut in files named `*.corrupt-<n>`. Later records go too, sound or not,
 * for they may build on the lost ones. New records are numbered beyond all that was lost, because what was derived
 * from those numbers may be stored elsewhere. Killed at any point, it can be run again.
 */
export async function repairLog(log: DamagedLog, dependencies: RecoveryDependencies): Promise<RecoveredLog> {
  const { directory, damage, kept, found, files } = log;
  const sizes = await Promise.all(files.map(async ({ path }) => (await stat(path)).size));
  const cutBytes = sizes.reduce((sum, size) => sum + size, -damage.offset);
  const firstSeq = seqBeyond(files, sizes);
  const position = { firstSeq, continuesFrom: damage.seq };
  const created = await createClosedSegment(directory, position, dependencies.openFile);
  const copies = [await setDamagedAside(damage, dependencies)];
  for (const later of files.slice(1)) copies.push(await renameAside(later.path));
  await syncDirectory(directory);
  const report = { ...damage, cutBytes, copies, nextSeq: firstSeq };
  dependencies.logger.warn(report, "repaired a corrupt log: the records from the damage on are lost");
  const cutSegments = damage.offset > 0 && found.segment !== undefined ? [found.segment] : [];
  return { segments: [...kept, ...cutSegments, created], cutBytes };
}

/** A sequence number above any that these files can hold, going by their names and sizes. */
function seqBeyond(files: readonly SegmentFile[], sizes: readonly number[]): number {
  const bounds = files.map(
    ({ firstSeq }, index) => firstSeq + Math.ceil(sizes[index]! / FRAME_HEADER_BYTES) + 1,
  );
  return Math.max(...bounds);
}

/** @returns the path of the copy of the damaged file, of which only what comes before the damage stays. */
async function setDamagedAside(damage: LogDamage, { openFile }: RecoveryDependencies): Promise<string> {
  if (damage.offset === 0) return renameAside(damage.file);
  const copy = await unusedPath(damage.file);
  await copyFile(damage.file, copy);
  await useLogFile(openFile(copy, "r+"), (file) => file.sync());
  await useLogFile(openFile(damage.file, "r+"), async (file) => {
    await file.truncate(damage.offset);
    await file.sync();
  });
  return copy;
}

async function renameAside(path: string): Promise<string> {
  const aside = await unusedPath(path);
  await rename(path, aside);
  return aside;
}

async function unusedPath(path: string): Promise<string> {
  for (let n = 1; ; n++) {
    const candidate = `${path}.corrupt-${n}`;
    const isUsed = await access(candidate).then(
      () => true,
      () => false,
    );
    if (!isUsed) return candidate;
  }
}
