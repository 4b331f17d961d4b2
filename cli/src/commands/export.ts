import type { Command } from "commander";
import type { ExportResult } from "../export/run-export.js";
import { addCriteriaFlags, type CriteriaFlags, criteriaOf } from "../flags/criteria-flags.js";
import { type CommonFlags, openSession, withClient } from "../session.js";
import type { Output } from "../terminal/output.js";

interface ExportFlags extends CriteriaFlags {
  readonly out?: string;
  readonly embeddings?: boolean;
}

export function registerExport(program: Command): void {
  const command = program
    .command("export")
    .description(
      "write all entries of the agent to a file that `membus import` reads: every tier, namespace and field",
    )
    .option("--out <file>", "output file (default: standard output)")
    .option("--embeddings", "include the vectors, which a host with the same embedder keeps");
  addCriteriaFlags(command).action(async (flags: ExportFlags, self: Command) => {
    const { config, output } = await openSession(self);
    const { exportWriter, runExport } = await import("../export/run-export.js");
    const { namespace } = self.optsWithGlobals<CommonFlags>();
    const request = {
      criteria: criteriaOf(flags),
      namespace,
      hasEmbeddings: flags.embeddings,
      write: exportWriter(flags.out),
    };
    // Each request names its namespace. A subtree is no namespace of a client.
    const result = await withClient({ ...config, namespace: "default" }, (client) =>
      runExport(client, request),
    );
    report(output, result, flags.out);
  });
}

function report(
  output: Output,
  { exported, skipped, omitted }: ExportResult,
  file: string | undefined,
): void {
  for (const { tier, message } of omitted) output.note(`not exported: ${tier}: ${message}`);
  if (file === undefined) output.note(`${exported} entries`);
  else output.result({ exported, skipped, file }, () => `${exported} entries`);
}
