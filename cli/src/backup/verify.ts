import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { directoryHolder, isMissingFile } from "@membus/disk";
import type { FolderReport, KitPlugin } from "@membus/plugin-kit";
import { type Logger, MemoryError, type MemoryPlugin, type MemoryTier } from "@membus/protocol";
import { choosePlugins } from "../compose/compose-plugins.js";
import type { Config } from "../config/config-schema.js";
import { askHost } from "../control/ask-host.js";
import { listBackups } from "./backup-folder.js";
import { type BackupManifest, MANIFEST, readManifest } from "./backup-manifest.js";
import { filesBelow, hashOf } from "./copy-file.js";
import { refusePartial } from "./restore.js";
import { tierFolders } from "./staged-snapshot.js";

export interface VerifyReport {
  readonly folder: string;
  /** `snapshot`: of the host that serves the folder. */
  readonly read: "backup" | "snapshot" | "data";
  readonly tiers: readonly (Pick<FolderReport, "records" | "parts"> & { readonly tier: string })[];
  readonly problems: readonly string[];
  readonly orphans: readonly string[];
}

interface VerifyContext {
  readonly config: Config;
  readonly logger: Logger;
  /** Of files that several backups share, by their inode. */
  readonly hashes: Map<string, string>;
}

/**
 * Reads a data folder, a backup or every backup of a folder from end to end, and changes nothing there. Of a data folder
 * that a host serves it reads a snapshot.
 * @throws {TypeError} for a folder that is none of them; {MemoryError} `conflict` where a process has it that does not
 * answer.
 */
export async function verify(folder: string, config: Config, logger: Logger): Promise<VerifyReport[]> {
  const context = { config, logger, hashes: new Map<string, string>() };
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
  const files = await fileProblems(folder, manifest, context.hashes);
  const listed = new Set([MANIFEST, ...manifest.files.map(({ path }) => path)]);
  const strange = (await filesBelow(folder)).filter((path) => !listed.has(path));
  const { problems, orphans, tiers } = await verifyTiers(folder, context);
  return {
    ...{ folder, read: "backup", tiers },
    problems: [...files, ...problems],
    orphans: [...strange.map((path) => join(folder, path)), ...orphans],
  };
}

async function verifyData(data: string, context: VerifyContext): Promise<VerifyReport> {
  await refusePartial(data);
  const asked = await askHost(data, { cmd: "snapshot" }, (result) => {
    return verifyTiers(join(data, (result as { folder: string }).folder), context);
  });
  if (asked !== undefined) return { folder: data, read: "snapshot", ...asked.used };
  await refuseHeld(data);
  const found = await verifyTiers(data, context);
  // Nothing is locked, since nothing may change: a host that came meanwhile has changed what was read.
  await refuseHeld(data);
  return { folder: data, read: "data", ...found };
}

async function refuseHeld(data: string): Promise<void> {
  for (const folder of await tierFolders(data)) {
    const holder = await directoryHolder(folder);
    if (holder === undefined) continue;
    const message = `process ${holder.pid} has ${folder}, and takes no commands: stop it, or verify a backup`;
    throw new MemoryError("conflict", message, { path: folder, pid: holder.pid });
  }
}

async function fileProblems(
  folder: string,
  { files }: BackupManifest,
  hashes: Map<string, string>,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { path, sizeBytes, sha256 } of files) {
    const file = join(folder, path);
    const found = await stat(file).catch((error: unknown) => {
      if (isMissingFile(error)) return undefined;
      throw error;
    });
    if (found === undefined) problems.push(`${file} is missing`);
    else if (found.size !== sizeBytes) problems.push(`${file} has ${found.size} bytes, it had ${sizeBytes}`);
    else {
      const inode = `${found.dev}:${found.ino}`;
      const hash = hashes.get(inode) ?? (await hashOf(file));
      hashes.set(inode, hash);
      if (hash !== sha256) problems.push(`${file}: its checksum is another one`);
    }
  }
  return problems;
}

type TierReports = Pick<VerifyReport, "tiers" | "problems" | "orphans">;

async function verifyTiers(data: string, { config, logger }: VerifyContext): Promise<TierReports> {
  const loss = { repair: false, acceptLoss: false, readOnly: false };
  const { plugins, dataDirectories } = await choosePlugins({ ...config, data }, loss);
  const tiers: VerifyReport["tiers"][number][] = [];
  const problems: string[] = [];
  const orphans: string[] = [];
  for (const directory of await tierFolders(data)) {
    const [tier] = (Object.keys(dataDirectories) as MemoryTier[]).filter((name) => {
      return dataDirectories[name] === directory;
    });
    const plugin = tier && plugins[tier];
    if (tier === undefined || !hasVerify(plugin)) {
      problems.push(`${directory} was not verified: no plugin of these settings can`);
      continue;
    }
    try {
      const report = await plugin.verify({ directory, tier, logger });
      if (report === undefined) continue;
      tiers.push({ tier: basename(directory), records: report.records, parts: report.parts });
      problems.push(...report.problems);
      orphans.push(...report.orphans);
    } catch (error) {
      problems.push(`${directory}: ${(error as Error).message}`);
    }
  }
  return { tiers, problems, orphans };
}

function hasVerify(plugin: MemoryPlugin | undefined): plugin is MemoryPlugin & Pick<KitPlugin, "verify"> {
  return typeof (plugin as Partial<KitPlugin> | undefined)?.verify === "function";
}
