import type { MemoryClient } from "@membus/agent-client";
import { systemClock } from "@membus/protocol";
import type { Command } from "commander";
import type { Config } from "../config/config-schema.js";
import type { ImportSource } from "../import/foreign-format.js";
import type { ImportPreview } from "../import/import-preview.js";
import type { ImportReport } from "../import/import-source.js";
import { rejectedPath } from "../import/rejected-rows.js";
import { type CommonFlags, openSession, withClient } from "../session.js";
import { bytesPerS, ProgressBar } from "../terminal/progress-bar.js";

/** Long enough for a host restart. */
const RETRY_TIMEOUT_MS = 60_000;

/** Characters of a sample on the terminal. */
const SAMPLE_LENGTH_MAX = 500;

interface ImportFlags {
  readonly from?: string;
  readonly tier: string;
  readonly user?: string;
  readonly authors?: boolean;
  readonly dryRun?: boolean;
  readonly restart?: boolean;
}

export function registerImport(program: Command): void {
  program
    .command("import")
    .description("store the entries of a file or folder (an interrupted import resumes)")
    .argument(
      "<path>",
      "entries of `membus export`, one per line, or with --from a file or folder of another memory",
    )
    .option(
      "--from <format>",
      "mem0, mcp, markdown, chatgpt, claude, langgraph or letta (default: JSONL of `membus export`)",
    )
    .option("--tier <tier>", "tier for entries without a `tier`", "episodic")
    .option("--user <user>", "user of mem0 memories without a user_id")
    .option("--authors", "store shared entries of an export as their authors, which the server must permit")
    .option("--dry-run", "count the entries by kind and show three, but store nothing")
    .option("--restart", "start from the first line, ignoring the progress of an earlier run")
    .action(async (path: string, flags: ImportFlags, command: Command) => {
      const { config, output } = await openSession(command);
      const { openSource } = await import("../import/foreign-format.js");
      const source = await openSource(path, flags);
      if (flags.dryRun === true) {
        const { previewImport } = await import("../import/import-preview.js");
        const preview = await previewImport(source, flags.tier);
        output.result(preview, () => describePreview(preview, source));
        if (preview.rejected > 0) process.exitCode = 1;
        return;
      }
      const { importSource } = await import("../import/import-source.js");
      const { clearProgress } = await import("../import/import-progress.js");
      if (flags.restart === true) await clearProgress(path);
      const totalBytes = source.files.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);
      const bar = new ProgressBar(totalBytes, { clock: systemClock, formatRate: bytesPerS });
      const importAll = (client: MemoryClient) =>
        importSource(client, source, {
          defaults: { tier: flags.tier },
          asAuthors: flags.authors,
          bus: `${config.nats.url} ${config.prefix}`,
          onProgress: ({ stored }, bytesRead) => bar.draw(bytesRead, `${stored} stored`),
        });
      const report = await withClient(
        scopeOf(config, source, command.optsWithGlobals<CommonFlags>()),
        importAll,
        RETRY_TIMEOUT_MS,
      );
      bar.end();
      await clearProgress(path);
      output.result(report, () => describe(report, path));
      if (Object.keys(report.failed).length > 0) process.exitCode = 1;
    });
}

/**
 * Returns the settings for an export: the session that its working tier comes from, unless a flag names another.
 * @throws {TypeError} for --namespace, because each entry of an export has its namespace.
 */
function scopeOf(config: Config, { manifest }: ImportSource, flags: CommonFlags): Config {
  if (manifest === undefined) return config;
  if (flags.namespace !== undefined) {
    throw new TypeError("an export keeps its namespaces: leave out --namespace");
  }
  return { ...config, session: flags.session ?? manifest.session };
}

function describe({ stored, unchanged, expired, failed, examples }: ImportReport, path: string): string {
  const failures = Object.entries(failed).map(([code, count]) => {
    const example = examples[code];
    const file = example?.file === undefined ? "" : `${example.file} `;
    const where = example === undefined ? "" : `, such as ${file}line ${example.line}: ${example.message}`;
    return `${count} failed: ${code}${where}`;
  });
  const list = failures.length === 0 ? [] : [`Rejected rows are listed in ${rejectedPath(path)}`];
  const existing = unchanged === 0 ? [] : [`${unchanged} unchanged`];
  const ended = expired === 0 ? [] : [`${expired} expired, not stored`];
  return [`${stored} stored`, ...existing, ...ended, ...failures, ...list].join("\n");
}

function describePreview(
  { kinds, tiers, rejected, samples }: ImportPreview,
  { manifest }: ImportSource,
): string {
  const byTier = Object.entries(tiers).map(([tier, count]) => `${count} entries of the ${tier} tier`);
  const counts = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`);
  const shown = samples.map((sample) => JSON.stringify(sample).slice(0, SAMPLE_LENGTH_MAX).toWellFormed());
  return [
    ...(manifest === undefined ? [] : byTier),
    ...counts,
    `${rejected} rejected`,
    ...shown,
    "Nothing is stored (--dry-run)",
  ].join("\n");
}
