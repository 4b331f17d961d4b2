import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { residentMiB } from "../../../../tools/bench/src/harness/resident.js";
import { type BenchResult, benchResult } from "../../../../tools/bench/src/harness/result.js";
import { type Sides, waitForOwners } from "./sides.js";

const SECONDS = 30;
/** Ticks of a second in Linux's statistics of a process. */
const TICKS = 100;

/** Measures the processor time and the memory of each nats-server while a cluster of two hosts is idle. */
export async function benchIdle({ stage }: Sides): Promise<BenchResult[]> {
  for (const host of ["a", "b"]) await stage.start(host);
  await waitForOwners(stage);
  const pids = stage.nats.cluster.nodes.map(({ server }) => server!.pid);
  const before = await Promise.all(pids.map(processorSeconds));
  await sleep(SECONDS * 1_000);
  const after = await Promise.all(pids.map(processorSeconds));
  const shares = after.map((seconds, index) => (seconds - before[index]!) / SECONDS);
  const sizes = await Promise.all(pids.map((pid) => residentMiB({ pid })));
  await stage.endAll("SIGTERM");
  const [share, size] = [Math.max(...shares), Math.max(...sizes)];
  const cpu = {
    title: "cores that the busiest of three idle servers uses",
    ours: `${(100 * share).toFixed(1)} %`,
  };
  const rss = { title: "RSS of the largest of three idle servers, relative to 100 MiB", ours: `${size} MiB` };
  return [
    benchResult("idle-cpu", { ratio: share, ...cpu, raw: "one core" }, ["at most", 0.1]),
    benchResult("idle-rss", { ratio: size / 100, ...rss, raw: "100 MiB" }, ["at most", 1]),
  ];
}

/** Returns NaN on systems other than Linux. */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
