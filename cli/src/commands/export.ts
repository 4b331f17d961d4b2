import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import type { Command } from "commander";
import { addCriteriaFlags, type CriteriaFlags, criteriaOf } from "../criteria-flags.js";
import { openSession, withClient } from "../session.js";

export function registerExport(program: Command): void {
  const command = program
    .command("export")
    .description("write entries as JSON lines, oldest first; `membus import` reads them")
    .option("--out <file>", "where to (default: standard output)");
  addCriteriaFlags(command).action(async (flags: CriteriaFlags & { out?: string }, self: Command) => {
    const { config, output } = await openSession(self);
    const sink = flags.out === undefined ? process.stdout : createWriteStream(flags.out);
    const count = await withClient(config, async (client) => {
      let written = 0;
      const criteria = { ...criteriaOf(flags), order: "oldest" as const, include: ["context" as const] };
      for await (const entry of client.entries(criteria)) {
        if (!sink.write(`${JSON.stringify(entry)}\n`)) await once(sink, "drain");
        written++;
      }
      return written;
    });
    if (sink !== process.stdout) {
      sink.end();
      await finished(sink);
    }
    output.note(`${count} entries`);
  });
}
