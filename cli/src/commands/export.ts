import type { Command } from "commander";
import type { ExportResult } from "../export/run-export.js";
import { addCriteriaFlags, type CriteriaFlags, criteriaOf } from "../flags/criteria-flags.js";
import { type CommonFlags, openSession, withClient } from "../session.js";
import type { Output } from "../terminal/output.js";

/** Long enough for a host restart. */
const RETRY_TIMEOUT_MS = 60_000;

interface ExportFlags extends CriteriaFlags {
  readonly out?: string;
  readonly to?: string;
  readonly embeddings?: boolean;
}

export function registerExport(program: Command): void {
  const command = program
    .command("export")
    .description(
      "write all entries of the agent to a file that `membus import` reads: every tier, namespace and field",
    )
    .argument("[path]", "output file, or with --to markdown a new folder (default: standard output)")
    .option("--out <file>", "the same as the path")
    .option("--to <format>", "markdown, mem0 or aimem (default: the format without loss)")
    .option("--embeddings", "include the vectors, which a host with the same embedder keeps");
  addCriteriaFlags(command).action(
    async (argument: string | undefined, flags: ExportFlags, self: Command) => {
      const { config, output } = await openSession(self);
      const path = pathOf(argument, flags);
      const { openWriter } = await import("../export/export-formats.js");
      const { runExport } = await import("../export/run-export.js");
      const { namespace } = self.optsWithGlobals<CommonFlags>();
      const request = {
        criteria: criteriaOf(flags),
        namespace,
        hasEmbeddings: flags.embeddings,
        write: openWriter(flags.to, path),
      };
      // Each request names its namespace. A subtree is no namespace of a client.
      const settings = { ...config, namespace: "default" };
      const result = await withClient(settings, (client) => runExport(client, request), RETRY_TIMEOUT_MS);
      report(output, result, path);
    },
  );
}

/** @throws {TypeError} for two paths. */
function pathOf(argument: string | undefined, { out }: ExportFlags): string | undefined {
  if (argument !== undefined && out !== undefined) throw new TypeError("name the path once, or with --out");
  return argument ?? out;
}

function report(
  output: Output,
  { exported, skipped, omitted }: ExportResult,
  file: string | undefined,
): void {
  for (const { tier, message } of omitted) {
    output.note(`not exported: ${tier}: ${message}. Name a readable namespace with --namespace`);
  }
  if (skipped > 0) output.note(`${skipped} entries have no place in this format`);
  if (file === undefined) output.note(`${exported} entries`);
  else output.result({ exported, skipped, file }, () => `${exported} entries`);
}
