import type { LogFileReport } from "@membus/disk";
import type { RecordedEntry } from "@membus/plugin-kit";
import type { Command } from "commander";
import { openSession } from "../session.js";

const PATH =
  "a data folder, the folder of a tier or of its log, or one file, also *.corrupt-<n> and *.foreign-<n>";

/** Looks into the files of a log beside a host, or without one: nothing is changed, and no lock is taken. */
export function registerLog(program: Command): void {
  const log = program.command("log").description("look into the log of a durable tier, whole or damaged");
  log
    .command("inspect")
    .description("list the files of a log, with their records and where they are damaged")
    .argument("<path>", PATH)
    .action(async (path: string, _flags: object, self: Command) => {
      const { output } = await openSession(self);
      const { inspectLogFile, listLogFiles } = await import("@membus/disk");
      const reports: LogFileReport[] = [];
      for (const file of await listLogFiles(path)) reports.push(await inspectLogFile(file));
      output.result(reports, () => reports.map(describe).join("\n") || `no log in ${path}`);
    });
  log
    .command("extract")
    .description(
      "write the entries that can be read out of a log, every version, a line each; JSON lines with --json",
    )
    .argument("<path>", PATH)
    .action(async (path: string, _flags: object, self: Command) => {
      const { output } = await openSession(self);
      const { inspectLogFile, listLogFiles } = await import("@membus/disk");
      const { recordEntries } = await import("@membus/plugin-kit");
      for (const file of await listLogFiles(path)) {
        await inspectLogFile(file, (seq, payload) => {
          for (const entry of recordEntries(payload).entries) {
            process.stdout.write(`${output.json ? JSON.stringify({ seq, ...entry }) : line(seq, entry)}\n`);
          }
        });
      }
    });
}

function describe({ file, sizeBytes, recordCount, damage, firstSeq }: LogFileReport): string {
  const holes = damage.map(({ begin, end, seq, nextSeq }) => {
    const records = nextSeq === undefined ? `from record ${seq} on` : `records ${seq} to ${nextSeq - 1}`;
    return `\n  cannot be read: byte ${begin} to ${end}, ${records}`;
  });
  return `${file}: ${recordCount} records from ${firstSeq}, ${sizeBytes} bytes${holes.join("")}`;
}

function line(seq: number, { tier, tenant, agent, namespace, key, content }: RecordedEntry): string {
  const place = [tier, tenant, agent, namespace].filter((part) => part !== "").join(" ");
  return `${seq}  ${place}  ${JSON.stringify(key)}  ${JSON.stringify(content)}`;
}
