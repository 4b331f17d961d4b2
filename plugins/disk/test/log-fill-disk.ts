import { systemClock } from "@membus/protocol";
import { openFileLog } from "../src/log/file-log.js";

/**
 * Appends records of 10,000 bytes to the log in argv[2] until one is refused, then a small one. Prints each
 * result.
 */
const ignore = (): void => undefined;
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const log = await openFileLog(process.argv[2]!, {}, { clock: systemClock, logger });
log.onRollback((firstLostSeq) => console.log(`rollback ${firstLostSeq}`));

async function report(text: string): Promise<boolean> {
  try {
    console.log(`stored ${await log.append(() => Buffer.from(text))}`);
    return true;
  } catch (error) {
    const { code, detail } = error as { code: string; detail: { reason: string } };
    console.log(`${code} ${detail.reason}`);
    return false;
  }
}

while (await report("x".repeat(10_000)));
await report("small");
await log.close();
