import { resolve } from "node:path";
import type { Command } from "commander";
import type { BackupReport } from "../backup/back-up.js";
import type { VerifyReport } from "../backup/verify.js";
import type { CopyReport } from "../copy/copy-entries.js";
import { CLUSTER_FLAG, CLUSTER_NAME_FLAG, type ClusterFlags, clusterConfig } from "../flags/cluster-flags.js";
import { definedOnly } from "../flags/defined-only.js";
import { numberFlag } from "../flags/json-argument.js";
import { createLogger } from "../logger.js";
import { openSession, type Session } from "../session.js";
import { bytesPerS, itemsPerS } from "../terminal/progress-bar.js";
import { withProgressBar } from "../terminal/task-progress.js";

const DATA = "data folder (default ./.membus)";
const MERGE_FLAG = [
  "--merge",
  "also copy into tenants that have entries, such as the tenants of an interrupted copy",
] as const;
const MIGRATE_EXPLANATION = `
Stop the host first. Entries keep their revisions and times. Working memory and the replies that are kept for retries are not
copied. The command ends when every entry was read again and found in the cluster. After an interruption, repeat it with --merge.`;

interface PlaceFlags extends ClusterFlags {
  readonly data?: string;
}

interface BackupFlags extends PlaceFlags {
  readonly keep?: string;
}

interface IntoFlags extends PlaceFlags {
  readonly merge?: boolean;
}

export function registerBackup(program: Command): void {
  program
    .command("backup")
    .description(
      "back up the durable tiers of a data folder, with or without a running host, and list the backups",
    )
    .argument(
      "<folder>",
      "folder of the backups: each backup gets a subfolder and shares unchanged files with the previous backup",
    )
    .option("--data <folder>", DATA)
    .option(...CLUSTER_FLAG)
    .option(...CLUSTER_NAME_FLAG)
    .option("--keep <count>", "keep this many backups and delete older ones (default: keep all)")
    .action(async (given: string, flags: BackupFlags, command: Command) => {
      const { config, output } = await openSession(command, placeConfig(flags));
      const keep = flags.keep === undefined ? undefined : keepFlag(flags.keep);
      const folder = resolve(given);
      const isCluster = config.cluster !== undefined && flags.data === undefined;
      const report = await withProgressBar(isCluster ? itemsPerS : bytesPerS, async (onProgress) => {
        const target = { folder, keep, onProgress };
        if (isCluster) return (await import("../cluster/copy-cluster.js")).backUpCluster(config, target);
        return (await import("../backup/back-up.js")).backUp({ data: config.data, ...target });
      });
      output.result(report, () => describe(report));
    });
}

export function registerRestore(program: Command): void {
  program
    .command("restore")
    .description("restore a backup into a new or empty data folder")
    .argument("<backup>", "a backup, or a folder of backups (restores the latest)")
    .option("--data <folder>", DATA)
    .option(...CLUSTER_FLAG)
    .option(...CLUSTER_NAME_FLAG)
    .option(...MERGE_FLAG)
    .action(async (backup: string, flags: IntoFlags, command: Command) => {
      const session = await openSession(command, placeConfig(flags));
      const { config, output } = session;
      if (config.cluster !== undefined && flags.data === undefined)
        return restoreCluster(session, resolve(backup), flags);
      const { restore } = await import("../backup/restore.js");
      const report = await withProgressBar(bytesPerS, (onProgress) =>
        restore(resolve(backup), config.data, onProgress),
      );
      const { taken_at, files } = report;
      output.result(
        report,
        () => `restored ${files} files of the backup taken at ${taken_at} into ${report.data}`,
      );
    });
}

export function registerMigrate(program: Command): void {
  program
    .command("migrate")
    .description("copy the durable tiers of a data folder that no host serves into a cluster")
    .option("--data <folder>", DATA)
    .option(...CLUSTER_FLAG)
    .option(...CLUSTER_NAME_FLAG)
    .option(...MERGE_FLAG)
    .addHelpText("after", MIGRATE_EXPLANATION)
    .action(async (flags: IntoFlags, command: Command) => {
      const { data, ...others } = flags;
      const settings = { ...definedOnly({ data }), ...clusterConfig(others) };
      const { config, output } = await openSession(command, settings);
      if (config.cluster === undefined) throw new TypeError("name the cluster with --cluster");
      const { migrateToCluster } = await import("../cluster/copy-cluster.js");
      const report = await withProgressBar(itemsPerS, (onProgress) =>
        migrateToCluster(config, config.data, { isMerge: flags.merge === true, onProgress }),
      );
      output.result(report, () => describeCopy(report));
    });
}

async function restoreCluster({ config, output }: Session, backup: string, flags: IntoFlags): Promise<void> {
  const { restoreIntoCluster } = await import("../cluster/copy-cluster.js");
  const temporary = `${backup}.restoring`;
  const report = await withProgressBar(itemsPerS, (onProgress) =>
    restoreIntoCluster(config, backup, temporary, { isMerge: flags.merge === true, onProgress }),
  );
  output.result(report, () => describeCopy(report));
}

function describeCopy({ tenants, namespaces, entries, kept }: CopyReport): string {
  return `copied and verified ${entries} entries of ${tenants} tenants in ${namespaces} namespaces, ${kept} of them were there`;
}

function placeConfig(flags: PlaceFlags) {
  return { ...definedOnly({ data: flags.data }), ...clusterConfig(flags) };
}

export function registerVerify(program: Command): void {
  program
    .command("verify")
    .description(
      "read a whole data folder, backup or cluster and report damaged and missing parts, without changing anything",
    )
    .argument(
      "[folder]",
      "a data folder, a backup or a folder of backups (default: the configured data folder)",
    )
    .option(...CLUSTER_FLAG)
    .option(...CLUSTER_NAME_FLAG)
    .action(async (folder: string | undefined, flags: ClusterFlags, command: Command) => {
      const settings = clusterConfig(flags);
      if (folder !== undefined && settings.cluster !== undefined)
        throw new TypeError("a folder and --cluster exclude each other");
      const session = await openSession(command, settings);
      const { config, output } = session;
      if (config.cluster !== undefined && folder === undefined) return verifyShards(session);
      const { verify } = await import("../backup/verify.js");
      const reports = await withProgressBar(bytesPerS, (onProgress) =>
        verify(resolve(folder ?? config.data), config, createLogger("error"), onProgress),
      );
      output.result(reports, () => reports.map(describeVerified).join("\n"));
      if (reports.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
    });
}

async function verifyShards({ config, output }: Session): Promise<void> {
  const { describeShard, hasProblem, verifyCluster } = await import("../cluster/verify-cluster.js");
  const reports = await withProgressBar(itemsPerS, (onProgress) => verifyCluster(config, onProgress));
  output.result(reports, () => reports.map(describeShard).join("\n"));
  if (reports.some(hasProblem)) process.exitCode = 1;
}

function keepFlag(text: string): number {
  const keep = numberFlag("--keep", text);
  if (!Number.isInteger(keep) || keep < 1)
    throw new TypeError(`--keep must be an integer of at least 1, got ${text}`);
  return keep;
}

function describe({ backup, files, bytes, copied_files, copied_bytes, removed, kept }: BackupReport): string {
  return [
    `backed up to ${backup}: ${files} files with ${bytes} bytes (copied: ${copied_files} files with ${copied_bytes} bytes)`,
    ...removed.map((name) => `removed ${name}`),
    ...kept.map(({ name, bytes: size, problem }) => `kept ${name}, ${problem ?? `${size} bytes`}`),
  ].join("\n");
}

const READ = {
  backup: "backup",
  snapshot: "snapshot from the running host",
  data: "data folder",
} as const;

function describeVerified({ folder, read, tiers, problems, orphans }: VerifyReport): string {
  return [
    `${problems.length === 0 ? "ok  " : "FAIL"}  ${folder}, ${READ[read]}`,
    ...tiers.map(({ tier, records, parts }) => {
      const rows = parts.reduce((sum, part) => sum + part.rows, 0);
      return `      ${tier}: ${rows} rows of ${parts.length} tables, ${records} records in the log`;
    }),
    ...problems.map((problem) => `      ${problem}`),
    ...orphans.map((path) => `unused file, harmless: ${path}`),
  ].join("\n");
}
