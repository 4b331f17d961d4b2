import type { LogFileReport } from "@membus/disk";
import type { RecordedEntry } from "@membus/plugin-kit";
import type { Command } from "commander";
import { openSession } from "../session.js";

const PATH =
  "a data folder, the folder of a tier or its log, or a single file, including *.corrupt-<n> and *.foreign-<n>";

/** Reads log files, with or without a running host. It changes nothing and takes no lock. */
export function registerLog(program: Command): void {
  const log = program.command("log").description("inspect the log of a durable tier, even if it is damaged");
  log
    .command("inspect")
    .description("list the files of a log with their records and damaged ranges")
    .argument("<path>", PATH)
    .action(async (path: string, _flags: object, self: Command) => {
      const { output } = await openSession(self);
      const { inspectLogFile, listLogFiles } = await import("@membus/disk");
      const reports: LogFileReport[] = [];
      for (const file of await listLogFiles(path)) reports.push(await inspectLogFile(file));
      output.result(reports, () => reports.map(describe).join("\n") || `no log found in ${path}`);
    });
  log
    .command("extract")
    .description("write all readable entries of a log, every version, one per line (JSON lines with --json)")
    .argument("<path>", PATH)
    .action(async (path: string, _flags: object, self: Command) => {
      const { output } = await openSession(self);
      const { inspectLogFile, listLogFiles } = await import("@membus/disk");
      const { recordEntries } = await import("@membus/plugin-kit");
      for (const file of await listLogFiles(path)) {
        await inspectLogFile(file, (seq, payload) => {
          for (const entry of recordEntries(payload).entries) {
            output.result({ seq, ...entry }, () => line(seq, entry));
          }
        });
      }
    });
}

function describe({ file, sizeBytes, recordCount, damage, firstSeq }: LogFileReport): string {
  const holes = damage.map(({ begin, end, seq, nextSeq }) => {
    const records = nextSeq === undefined ? `record ${seq} and later` : `records ${seq} to ${nextSeq - 1}`;
    return `\n  unreadable: bytes ${begin} to ${end}, ${records}`;
  });
  return `${file}: ${recordCount} records, starting at record ${firstSeq}, ${sizeBytes} bytes${holes.join("")}`;
}

function line(seq: number, { tier, tenant, agent, namespace, key, content }: RecordedEntry): string {
  const place = [tier, tenant, agent, namespace].filter((part) => part !== "").join(" ");
  return `${seq}  ${place}  ${JSON.stringify(key)}  ${JSON.stringify(content)}`;
}
