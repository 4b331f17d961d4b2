import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { addCriteriaFlags, type CriteriaFlags, criteriaOf } from "../flags/criteria-flags.js";
import { openSession, withClient } from "../session.js";

export function registerExport(program: Command): void {
  const command = program
    .command("export")
    .description("write entries as JSON lines, oldest first (`membus import` reads them)")
    .option("--out <file>", "output file (default: standard output)");
  addCriteriaFlags(command).action(async (flags: CriteriaFlags & { out?: string }, self: Command) => {
    const { config, output } = await openSession(self);
    const criteria = { ...criteriaOf(flags), order: "oldest" as const, include: ["context" as const] };
    const file = flags.out;
    let count = 0;
    await withClient(config, async (client) => {
      const lines = async function* () {
        for await (const entry of client.entries(criteria)) {
          count++;
          yield `${JSON.stringify(entry)}\n`;
        }
      };
      const sink = file === undefined ? process.stdout : createWriteStream(file);
      await pipeline(lines, sink, { end: file !== undefined });
    });
    if (file === undefined) output.note(`${count} entries`);
    else output.result({ exported: count, file }, () => `${count} entries`);
  });
}
