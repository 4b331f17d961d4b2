import { access, readdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Logger } from "@membus/protocol/plugin";
import { syncDirectory } from "../directory/index.js";
import type { LogPart } from "./log.js";
import { type OpenLogFile, useLogFile } from "./log-file.js";
import { readBytes } from "./scan.js";
import { listSegmentFiles, segmentPath } from "./segment-files.js";
import { decodeSegmentHeader, SEGMENT_HEADER_BYTES } from "./segment-header.js";
import { renameAside } from "./set-aside-files.js";

export interface NamingDependencies {
  readonly logger: Logger;
  readonly openFile: OpenLogFile;
  readonly kept: readonly LogPart[] | undefined;
}

/** End of the name of a segment that is being renamed. */
const MOVING = ".moving";

/**
 * Gives intact segments of this log their names back, for example after two files were swapped. A file in
 * the place of one is set aside. Without a keeper nothing is renamed.
 */
export async function restoreNames(directory: string, dependencies: NamingDependencies): Promise<void> {
  const owned: { readonly path: string; readonly name: string }[] = [];
  for (const { path } of await listSegmentFiles(directory)) {
    const name = await ownName(path, dependencies);
    if (name !== undefined) owned.push({ path, name });
  }
  const inPlace = owned.filter(({ path, name }) => basename(path) === name);
  const placed = new Set(inPlace.map(({ name }) => name));
  const moves: string[] = [];
  for (const { path, name } of owned) {
    if (placed.has(name)) continue;
    placed.add(name);
    await rename(path, join(directory, `${name}${MOVING}`));
    moves.push(`${basename(path)} to ${name}`);
  }
  if (moves.length > 0)
    dependencies.logger.warn({ moves }, "renamed segments of the log that had other names");
  await completeRenames(directory);
}

/** Completes renames that a crash interrupted. */
export async function completeRenames(directory: string): Promise<void> {
  const moving = (await readdir(directory)).filter((name) => name.endsWith(MOVING));
  for (const name of moving) {
    const path = join(directory, name.slice(0, -MOVING.length));
    if (await exists(path)) await renameAside(path, "corrupt");
    await rename(join(directory, name), path);
  }
  if (moving.length > 0) await syncDirectory(directory);
}

/** Returns the name that the keeper knows this file by. */
async function ownName(
  path: string,
  { openFile, kept = [] }: NamingDependencies,
): Promise<string | undefined> {
  const bytes = await useLogFile(openFile(path, "r"), (file) => readBytes(file, 0, SEGMENT_HEADER_BYTES));
  const header = decodeSegmentHeader(bytes);
  if (header === undefined) return undefined;
  const name = basename(segmentPath("", header.firstSeq));
  return kept.some((part) => part.name === name && part.id === header.salt) ? name : undefined;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
