import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { delay, systemClock } from "@membus/protocol";
import { type BenchEnvironment, firstOutput, openEnvironment } from "../harness/environment.js";
import { median, pairs } from "../harness/load.js";
import { type BenchResult, benchResult } from "../harness/result.js";
import { NEIGHBOUR, type NeighbourTimes, neighbourTimes } from "../noise/neighbour.js";

const [FLOODER, SUBSCRIBER, EXPENSIVE] = ["flooder", "subscriber", "expensive"].map((name) =>
  fileURLToPath(new URL(`../noise/${name}.js`, import.meta.url)),
) as [string, string, string];
const PREFIX = "a2e";
/** Prefix of the control. */
const BARE_PREFIX = "bare";
const MEASURED_FLOODS = ["large-stores", "many-words", "nested-json", "64-agents", "5000-agents"] as const;
const ROUNDS = 3;
/** Time after which a flood, or expensive requests, have their full effect. */
const FLOOD_MS = 3_000;
/** Time after which the host must be normal again. */
const RECOVERY_MS = 1_000;
const DURING = { count: 200, timeoutMs: 8_000 };
const AFTER = { count: 40, timeoutMs: 5_000 };
const NATS_DEFAULTS = "max_pending: 67108864\n";

interface Disturbed {
  readonly during: NeighbourTimes;
  readonly after: NeighbourTimes;
}

/**
 * Measures one agent beside the floods of others: on a host, and on a bare subscriber beside the same flood.
 * Then beside expensive requests, relative to an undisturbed host.
 */
export async function benchNoise(shipped: BenchEnvironment): Promise<BenchResult[]> {
  const configFile = join(shipped.directory, "nats-defaults.conf");
  await writeFile(configFile, NATS_DEFAULTS);
  const defaults = await openEnvironment({ configFile });
  try {
    return [
      ...(await benchFloods(shipped, "shipped")),
      ...(await benchFloods(defaults, "defaults")),
      ...(await benchExpensive(shipped)),
    ];
  } finally {
    await defaults.close();
  }
}

async function benchFloods(environment: BenchEnvironment, settings: string): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const flood of MEASURED_FLOODS) {
    const log: string[] = [];
    const host = await environment.startHost({ name: `noise-${flood}`, onLog: (line) => log.push(line) });
    const bare = environment.startScript(SUBSCRIBER, [BARE_PREFIX, NEIGHBOUR]);
    await firstOutput(bare);
    const beside = (prefix: string) => besideFlood(environment, prefix, flood);
    const measured = await pairs(
      ROUNDS,
      () => beside(PREFIX),
      () => beside(BARE_PREFIX),
    );
    await Promise.all([environment.end(host), environment.end(bare)]);
    const disconnects = log.filter((line) => line.includes("disconnected")).length;
    results.push(resultOf(`${flood}-${settings}`, measured, `beside a flood, ${disconnects} disconnects`));
  }
  return results;
}

async function besideFlood(environment: BenchEnvironment, prefix: string, flood: string): Promise<Disturbed> {
  const flooder = environment.startScript(FLOODER, [prefix, flood]);
  await firstOutput(flooder);
  await delay(systemClock, FLOOD_MS);
  const during = await neighbourTimes(environment.bus, prefix, DURING);
  await environment.end(flooder);
  await delay(systemClock, RECOVERY_MS);
  return { during, after: await neighbourTimes(environment.bus, prefix, AFTER) };
}

async function benchExpensive(environment: BenchEnvironment): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const operation of ["retrieves", "forgets"]) {
    const host = await environment.startHost({ name: `noise-${operation}` });
    const measured: { ours: Disturbed; raw: Disturbed }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const idle = await neighbourTimes(environment.bus, PREFIX, DURING);
      const expensive = environment.startScript(EXPENSIVE, [operation]);
      await firstOutput(expensive);
      await delay(systemClock, FLOOD_MS);
      const during = await neighbourTimes(environment.bus, PREFIX, DURING);
      await environment.end(expensive);
      await delay(systemClock, RECOVERY_MS);
      const after = await neighbourTimes(environment.bus, PREFIX, AFTER);
      measured.push({ ours: { during, after }, raw: { during: idle, after: idle } });
    }
    await environment.end(host);
    results.push(resultOf(`64-${operation}`, measured, "beside expensive requests, relative to none"));
  }
  return results;
}

function resultOf(
  id: string,
  measured: readonly { readonly ours: Disturbed; readonly raw: Disturbed }[],
  title: string,
): BenchResult {
  const p95 = (side: "ours" | "raw", when: keyof Disturbed) =>
    median(measured.map((pair) => pair[side][when].p95));
  const failed = Math.max(...measured.map(({ ours }) => ours.during.failed));
  const numbers = `failed ${(100 * failed).toFixed(1)}%, after it ${p95("ours", "after").toFixed(1)} ms`;
  return benchResult(
    id,
    {
      ratio: median(measured.map(({ ours, raw }) => ours.during.p95 / raw.during.p95)),
      title: `p95 of another agent ${title}, ${numbers}`,
      ours: `${p95("ours", "during").toFixed(1)} ms`,
      raw: `${p95("raw", "during").toFixed(1)} ms`,
    },
    ["at most", 4],
  );
}
