import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { type ImportReport, importFile } from "../import/import-file.js";
import { clearProgress } from "../import/import-progress.js";
import { ProgressBar } from "../progress-bar.js";
import { definedOnly, openSession, withClient } from "../session.js";

interface ImportFlags {
  readonly tier?: string;
  readonly restart?: boolean;
}

export function registerImport(program: Command): void {
  program
    .command("import")
    .description("store the entries of a JSONL file; interrupted, it goes on where it stopped")
    .argument("<file>", "one entry a line, as `membus export` writes them")
    .option("--tier <tier>", "tier of entries that name none (default working)")
    .option("--restart", "from the beginning, whatever an earlier run has done")
    .action(async (path: string, flags: ImportFlags, command: Command) => {
      const { config, output } = await openSession(command);
      const sizeBytes = await fileSize(path);
      if (flags.restart === true) await clearProgress(path);
      const bar = new ProgressBar(sizeBytes);
      const report = await withClient(config, (client) =>
        importFile(client, path, {
          defaults: definedOnly({ tier: flags.tier }),
          onProgress: ({ stored }, bytesRead) => bar.draw(bytesRead, `${stored} stored`),
        }),
      );
      bar.end();
      await clearProgress(path);
      output.result(report, () => describe(report));
      if (Object.keys(report.failed).length > 0) process.exitCode = 1;
    });
}

/** @throws {TypeError} when there is no such file. */
async function fileSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw new TypeError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

function describe({ stored, failed, examples }: ImportReport): string {
  const failures = Object.entries(failed).map(([code, count]) => {
    const example = examples[code];
    const where = example === undefined ? "" : `, such as line ${example.line}: ${example.message}`;
    return `${count} failed: ${code}${where}`;
  });
  return [`${stored} stored`, ...failures].join("\n");
}
