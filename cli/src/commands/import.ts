import { open } from "node:fs/promises";
import type { MemoryClient } from "@membus/agent-client";
import type { Command } from "commander";
import { definedOnly } from "../flags/defined-only.js";
import type { ImportReport } from "../import/import-file.js";
import { openSession, withClient } from "../session.js";
import { ProgressBar } from "../terminal/progress-bar.js";

/** Long enough for a host restart. */
const RETRY_TIMEOUT_MS = 60_000;

interface ImportFlags {
  readonly tier?: string;
  readonly restart?: boolean;
}

export function registerImport(program: Command): void {
  program
    .command("import")
    .description("store the entries of a JSONL file (an interrupted import resumes)")
    .argument("<file>", "one entry per line, as written by `membus export`")
    .option("--tier <tier>", "tier for entries without a `tier` (default working)")
    .option("--restart", "start from the first line, ignoring the progress of an earlier run")
    .action(async (path: string, flags: ImportFlags, command: Command) => {
      const { config, output } = await openSession(command);
      const { importFile } = await import("../import/import-file.js");
      const { clearProgress } = await import("../import/import-progress.js");
      const sizeBytes = await fileSize(path);
      if (flags.restart === true) await clearProgress(path);
      const bar = new ProgressBar(sizeBytes);
      const importAll = (client: MemoryClient) =>
        importFile(client, path, {
          defaults: definedOnly({ tier: flags.tier }),
          onProgress: ({ stored }, bytesRead) => bar.draw(bytesRead, `${stored} stored`),
        });
      const report = await withClient(config, importAll, RETRY_TIMEOUT_MS);
      bar.end();
      await clearProgress(path);
      output.result(report, () => describe(report));
      if (Object.keys(report.failed).length > 0) process.exitCode = 1;
    });
}

/** @throws {TypeError} if the file does not exist or cannot be read. */
async function fileSize(path: string): Promise<number> {
  try {
    const file = await open(path);
    const stats = await file.stat();
    await file.close();
    if (stats.isFile()) return stats.size;
  } catch (error) {
    throw new TypeError(`cannot read ${path}: ${(error as Error).message}`);
  }
  throw new TypeError(`cannot read ${path}: it is not a file`);
}

function describe({ stored, failed, examples }: ImportReport): string {
  const failures = Object.entries(failed).map(([code, count]) => {
    const example = examples[code];
    const where = example === undefined ? "" : `, such as line ${example.line}: ${example.message}`;
    return `${count} failed: ${code}${where}`;
  });
  return [`${stored} stored`, ...failures].join("\n");
}
