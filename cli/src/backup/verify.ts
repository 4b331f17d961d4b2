import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { directoryHolder, isMissingFile, RESERVE_FILE } from "@membus/disk";
import type { FolderLocation, FolderReport, KitPlugin } from "@membus/plugin-kit";
import { MemoryError, type MemoryTier } from "@membus/protocol";
import type { Logger, MemoryPlugin } from "@membus/protocol/plugin";
import { type ComposedPlugins, choosePlugins } from "../compose/compose-plugins.js";
import type { Config } from "../config/config-schema.js";
import { sendToHost } from "../control/control-client.js";
import type { OnProgress } from "../terminal/task-progress.js";
import { listBackups } from "./backup-folder.js";
import { type BackupManifest, MANIFEST, readManifest } from "./backup-manifest.js";
import { ByteProgress } from "./byte-progress.js";
import { bytesBelow, filesBelow, hashOf, isPlainPath } from "./copy-file.js";
import { refusePartial } from "./restore.js";
import { tierFolders } from "./tier-folders.js";

export interface VerifyReport {
  readonly folder: string;
  /** `snapshot`: a snapshot from the running host. */
  readonly read: "backup" | "snapshot" | "data";
  readonly tiers: readonly (Pick<FolderReport, "records" | "parts"> & { readonly tier: string })[];
  readonly problems: readonly string[];
  readonly orphans: readonly string[];
}

interface VerifyContext {
  readonly config: Config;
  readonly logger: Logger;
  /** SHA-256 by inode, for files that several backups share. */
  readonly hashes: Map<string, string>;
  readonly onProgress: OnProgress;
}

/**
 * Reads a data folder, a backup, or every backup of a folder completely, and changes nothing there. If a host
 * serves the data folder, a snapshot is read.
 * @throws {TypeError} if the folder is none of these.
 * @throws {MemoryError} `conflict` if a process holds the folder but does not respond.
 */
export async function verify(
  folder: string,
  config: Config,
  logger: Logger,
  onProgress: OnProgress = () => {},
): Promise<VerifyReport[]> {
  const context = { config, logger, onProgress, hashes: new Map<string, string>() };
  if (await isBackup(folder)) return [await verifyBackup(folder, context)];
  const backups = await listBackups(folder).catch(() => []);
  const reports: VerifyReport[] = [];
  for (const name of backups) reports.push(await verifyBackup(join(folder, name), context));
  return backups.length > 0 ? reports : [await verifyData(folder, context)];
}

async function isBackup(folder: string): Promise<boolean> {
  return stat(join(folder, MANIFEST)).then(
    () => true,
    () => false,
  );
}

async function verifyBackup(folder: string, context: VerifyContext): Promise<VerifyReport> {
  const manifest = await readManifest(folder).catch((error: Error) => error);
  if (manifest === undefined || manifest instanceof Error) {
    const problems = [manifest?.message ?? `${join(folder, MANIFEST)} is missing`];
    return { folder, read: "backup", tiers: [], problems, orphans: [] };
  }
  const files = await fileProblems(folder, manifest, context);
  const listed = new Set([MANIFEST, ...manifest.files.map(({ path }) => path)]);
  const unlisted = (await filesBelow(folder)).filter((path) => !listed.has(path));
  const { problems, orphans, tiers } = await verifyTiers(folder, context).catch(withoutTiers);
  return {
    ...{ folder, read: "backup", tiers },
    problems: [...files, ...problems],
    orphans: [...unlisted.map((path) => join(folder, path)), ...orphans],
  };
}

async function verifyData(data: string, context: VerifyContext): Promise<VerifyReport> {
  await refusePartial(data);
  const served = await sendToHost(data, { cmd: "snapshot" }, (result) => {
    return verifyTiers(join(data, (result as { folder: string }).folder), context);
  });
  if (served !== undefined) return { folder: data, read: "snapshot", ...served.used };
  await refuseOpenFolders(data);
  const found = await verifyTiers(data, context);
  // Nothing was locked, because nothing may change. A host that has started since may have changed files
  // while they were read.
  await refuseOpenFolders(data);
  return { folder: data, read: "data", ...found };
}

async function refuseOpenFolders(data: string): Promise<void> {
  for (const folder of await tierFolders(data)) {
    const holder = await directoryHolder(folder);
    if (holder === undefined) continue;
    const message = `process ${holder.pid} holds ${folder} and accepts no commands: stop it, or verify a backup`;
    throw new MemoryError("conflict", message, { path: folder, pid: holder.pid });
  }
}

async function fileProblems(
  folder: string,
  { files }: BackupManifest,
  { hashes, onProgress }: VerifyContext,
): Promise<string[]> {
  const problems: string[] = [];
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const progress = new ByteProgress(bytes, onProgress);
  for (const { path, sizeBytes, sha256 } of files) {
    const file = join(folder, path);
    const found = await stat(file).catch((error: unknown) => {
      if (isMissingFile(error)) return undefined;
      throw error;
    });
    if (found === undefined) problems.push(`${file} is missing`);
    else if (!(await isPlainPath(folder, path))) problems.push(`${file} leads through a symbolic link`);
    else if (found.size !== sizeBytes)
      problems.push(`${file} has ${found.size} bytes, expected ${sizeBytes}`);
    else {
      const inode = `${found.dev}:${found.ino}`;
      const known = hashes.get(inode);
      if (known !== undefined) progress.add(sizeBytes, path);
      const hash = known ?? (await hashOf(file, (count) => progress.add(count, path)));
      hashes.set(inode, hash);
      if (hash !== sha256) problems.push(`${file} has a wrong checksum`);
    }
  }
  return problems;
}

type TierReports = Pick<VerifyReport, "tiers" | "problems" | "orphans">;

async function verifyTiers(
  data: string,
  { config, logger, onProgress }: VerifyContext,
): Promise<TierReports> {
  const loss = { repair: false, acceptLoss: false, readOnly: false };
  const chosen = await choosePlugins({ ...config, data }, loss);
  const folders = await tierFolders(data);
  // The reserve has no contents, and is larger than most tiers.
  const isRead = (path: string) => path !== RESERVE_FILE;
  const sizes = await Promise.all(folders.map((directory) => bytesBelow(directory, isRead)));
  const progress = new ByteProgress(
    sizes.reduce((sum, size) => sum + size, 0),
    onProgress,
  );
  const reports: TierReports[] = [];
  for (const [index, directory] of folders.entries()) {
    const section = progress.section(sizes[index]!);
    const note = `reading ${basename(directory)}`;
    section.add(0, note);
    const onBytes = (count: number, part: string) => section.add(count, `${note}, ${part}`);
    reports.push(await verifyTier({ directory, logger, onBytes }, chosen));
    section.end(note);
  }
  progress.add(0, "");
  return {
    tiers: reports.flatMap(({ tiers }) => tiers),
    problems: reports.flatMap(({ problems }) => problems),
    orphans: reports.flatMap(({ orphans }) => orphans),
  };
}

async function verifyTier(
  place: Omit<FolderLocation, "tier">,
  { plugins, dataDirectories }: ComposedPlugins,
): Promise<TierReports> {
  const { directory } = place;
  const none: TierReports = { tiers: [], problems: [], orphans: [] };
  const [tier] = (Object.keys(dataDirectories) as MemoryTier[]).filter((name) => {
    return dataDirectories[name] === directory;
  });
  const plugin = tier && plugins[tier];
  if (tier === undefined || !hasVerify(plugin)) {
    return { ...none, problems: [`${directory} was not verified: no configured plugin can read it`] };
  }
  try {
    const report = await plugin.verify({ ...place, tier });
    if (report === undefined) return none;
    const { records, parts, problems, orphans } = report;
    return { tiers: [{ tier: basename(directory), records, parts }], problems, orphans };
  } catch (error) {
    return { ...none, problems: [`${directory}: ${(error as Error).message}`] };
  }
}

/** Reports a backup that has lost the folders of all tiers. */
function withoutTiers(error: unknown): TierReports {
  if (!(error instanceof TypeError)) throw error;
  return { tiers: [], problems: [error.message], orphans: [] };
}

function hasVerify(plugin: MemoryPlugin | undefined): plugin is MemoryPlugin & Pick<KitPlugin, "verify"> {
  return typeof (plugin as Partial<KitPlugin> | undefined)?.verify === "function";
}
