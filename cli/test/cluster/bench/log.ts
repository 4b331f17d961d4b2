import { join } from "node:path";
import { streamLog } from "@membus/cluster";
import { fileLog, type Log, type OpenLog } from "@membus/disk";
import { silentLogger, systemClock } from "@membus/protocol";
import { TestHold } from "../../../../cluster/test/test-hold.js";
import { pairs, runLoad } from "../../../../tools/bench/src/harness/load.js";
import { rateRatio } from "../../../../tools/bench/src/harness/load-ratio.js";
import type { BenchResult } from "../../../../tools/bench/src/harness/result.js";
import type { Sides } from "./sides.js";

const ROUNDS = 5;
const RECORD = Buffer.alloc(512, "r");

/** Measures appends to the log of streams against the log in a folder. Both sync to disk. */
export async function benchLog({ stage, single }: Sides): Promise<BenchResult[]> {
  const hold = new TestHold(1);
  const ours = await openLog(streamLog({ name: "bench" }, { connection: stage.nats.connection, hold }), "");
  const raw = await openLog(fileLog(), join(single.directory, "log"));
  const measure = async (id: string, count: number, inFlight: number, goal?: number) => {
    const rate = (log: Log) => () => runLoad(count, inFlight, () => log.append(() => RECORD));
    const title = `appends of 512 bytes, ${inFlight} in flight, relative to a log in a folder`;
    return rateRatio(id, await pairs(ROUNDS, rate(ours), rate(raw)), { title, goal });
  };
  const results = [await measure("log-x64", 20_000, 64, 0.5), await measure("log-x1", 500, 1)];
  await ours.close();
  await raw.close();
  return results;
}

function openLog(open: OpenLog, directory: string): Promise<Log> {
  const recovery = { nextSeqMin: 1, onRecord() {} };
  return open(directory, recovery, { clock: systemClock, logger: silentLogger });
}
