import { writeSync } from "node:fs";
import { systemClock } from "@membus/protocol";
import { openFileLog } from "../src/log/file-log.js";

/**
 * Appends to the log in argv[2], marked with argv[3], and prints each acknowledged number until it is killed.
 */
const [directory, mark] = process.argv.slice(2) as [string, string];
const ignore = (): void => undefined;
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const log = await openFileLog(directory, { segmentBytes: 64 * 1024 }, { clock: systemClock, logger });

async function appendForever(): Promise<never> {
  for (;;) {
    const seq = await log.append((next) => Buffer.from(`${next} ${mark} `.padEnd((next * 37) % 3000, "x")));
    writeSync(1, `${seq}\n`);
  }
}

await Promise.all(Array.from({ length: 32 }, appendForever));
