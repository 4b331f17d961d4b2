import { resolve } from "node:path";
import type { Command } from "commander";
import type { BackupReport } from "../backup/back-up.js";
import type { VerifyReport } from "../backup/verify.js";
import { definedOnly } from "../flags/defined-only.js";
import { numberFlag } from "../flags/json-argument.js";
import { createLogger } from "../logger.js";
import { openSession } from "../session.js";
import { bytesPerS } from "../terminal/progress-bar.js";
import { withProgressBar } from "../terminal/task-progress.js";

const DATA = "data folder (default ./.membus)";

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
    .option("--keep <count>", "keep this many backups and delete older ones (default: keep all)")
    .action(async (folder: string, { data, keep }: { data?: string; keep?: string }, command: Command) => {
      const { config, output } = await openSession(command, definedOnly({ data }));
      const { backUp } = await import("../backup/back-up.js");
      const kept = keep === undefined ? undefined : keepFlag(keep);
      const report = await withProgressBar(bytesPerS, (onProgress) =>
        backUp({ data: config.data, folder: resolve(folder), keep: kept, onProgress }),
      );
      output.result(report, () => describe(report));
    });
}

export function registerRestore(program: Command): void {
  program
    .command("restore")
    .description("restore a backup into a new or empty data folder")
    .argument("<backup>", "a backup, or a folder of backups (restores the latest)")
    .option("--data <folder>", DATA)
    .action(async (backup: string, { data }: { data?: string }, command: Command) => {
      const { config, output } = await openSession(command, definedOnly({ data }));
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

export function registerVerify(program: Command): void {
  program
    .command("verify")
    .description(
      "read a whole data folder or backup and report damaged and missing parts, without changing anything",
    )
    .argument(
      "[folder]",
      "a data folder, a backup or a folder of backups (default: the configured data folder)",
    )
    .action(async (folder: string | undefined, _flags: object, command: Command) => {
      const { config, output } = await openSession(command);
      const { verify } = await import("../backup/verify.js");
      const reports = await withProgressBar(bytesPerS, (onProgress) =>
        verify(resolve(folder ?? config.data), config, createLogger("error"), onProgress),
      );
      output.result(reports, () => reports.map(describeVerified).join("\n"));
      if (reports.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
    });
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
