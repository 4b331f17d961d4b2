import { MemoryClient } from "@membus/agent-client";
import { shardOf } from "@membus/cluster";
import { milliseconds } from "../../../../tools/bench/src/harness/load.js";
import { type BenchResult, benchResult } from "../../../../tools/bench/src/harness/result.js";
import type { ClusterStage } from "../cluster-stage.js";
import { LEASE_S, SHARD_COUNT, type Sides, waitForOwners } from "./sides.js";

const TENANT = "paused";
/** Time limit of one request, so that a request to a killed host does not count as a pause. */
const TIMEOUT_MS = 200;
const RETRY_MS = 60_000;
const HOSTS = ["a", "b"];

/** Measures how long an agent waits while its shard moves, and after its host is killed. */
export async function benchPauses({ stage }: Sides): Promise<BenchResult[]> {
  for (const host of HOSTS) await stage.start(host);
  const shard = shardOf(TENANT, SHARD_COUNT);
  const owner = (await waitForOwners(stage))[shard];
  const other = HOSTS.find((host) => host !== owner)!;
  const moved = await longestPause(stage, () => stage.ok("cluster", "move", String(shard), other));
  const killed = await longestPause(stage, () => stage.end(other, "SIGKILL"));
  await stage.endAll("SIGTERM");
  const seconds = (pause: number) => `${pause.toFixed(2)} s`;
  const move = {
    title: "pause of an agent while its shard moves to another host, in seconds",
    ours: seconds(moved),
  };
  const kill = { title: "pause after the owner is killed, in leases", ours: seconds(killed) };
  return [
    benchResult("move", { ratio: moved, ...move, raw: "-" }, ["at most", 1]),
    benchResult("kill", { ratio: killed / LEASE_S, ...kill, raw: seconds(LEASE_S) }, ["at most", 1.5]),
  ];
}

/** Returns the longest time between two acknowledged stores while something is done, in seconds. */
async function longestPause(stage: ClusterStage, act: () => Promise<unknown>): Promise<number> {
  const agent = await MemoryClient.connect({
    ...{ servers: [...stage.urls], tenant: TENANT, agent: "alice" },
    ...{ timeoutMs: TIMEOUT_MS, retryTimeoutMs: RETRY_MS },
  });
  const store = () => agent.remember("counter", milliseconds(), { tier: "episodic" });
  let isDone = false;
  const storing = async () => {
    let longest = 0;
    for (let last = milliseconds(); !isDone; ) {
      await store();
      const now = milliseconds();
      longest = Math.max(longest, now - last);
      last = now;
    }
    return longest / 1_000;
  };
  const acting = async () => {
    await act();
    await store();
    isDone = true;
  };
  try {
    await store();
    const [longest] = await Promise.all([storing(), acting()]);
    return longest;
  } finally {
    isDone = true;
    await agent.close();
  }
}
