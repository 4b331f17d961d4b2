import { setTimeout as sleep } from "node:timers/promises";
import type { ClusterNode } from "@membus/nats-server";
import { leaderOf, messageCounts } from "../../../../cluster/test/nats-cluster-fixture.js";
import type { Chance } from "../../crash/kill-loop/chance.js";
import type { ClusterStage } from "../cluster-stage.js";
import { type Fault, OUTAGE_MS } from "./fault.js";

const namesOf = (nodes: readonly ClusterNode[]) => nodes.map(({ name }) => name).join(" and ");

/** Kills servers at the same moment, and starts them at the same moment or one after another. */
async function killAndStart(nodes: readonly ClusterNode[], chance: Chance): Promise<void> {
  await Promise.all(nodes.map((node) => node.kill()));
  await sleep(chance.int(OUTAGE_MS));
  const pauseMs = chance.one([0, chance.int(OUTAGE_MS)]);
  for (const [index, node] of nodes.entries()) {
    if (index > 0) await sleep(pauseMs / nodes.length);
    await node.start();
  }
}

const killServers =
  (count: number): Fault =>
  async (stage, chance) => {
    const nodes = chance.some(stage.nats.cluster.nodes, count);
    await killAndStart(nodes, chance);
    return `killed nats-server ${namesOf(nodes)}`;
  };

async function oneLogStream({ nats }: ClusterStage, chance: Chance): Promise<string> {
  const names = [...(await messageCounts(nats)).keys()].filter((name) => !name.startsWith("KV_"));
  return chance.one(names.sort());
}

export const SERVER_FAULTS: readonly Fault[] = [
  killServers(1),
  killServers(2),
  killServers(3),
  /** A leader that survives under load can refuse all writes later. Hosts must notice it. */
  async function spareLeader(stage, chance) {
    const stream = await oneLogStream(stage, chance);
    const leader = await leaderOf(stage.nats, stream);
    const others = stage.nats.cluster.nodes.filter((node) => node !== leader);
    await killAndStart(others, chance);
    return `killed nats-server ${namesOf(others)}, not the leader of ${stream}`;
  },
  /** The others elect leaders. Streams are created only after that. */
  async function suspendServer(stage, chance) {
    const node = chance.one(stage.nats.cluster.nodes);
    process.kill(node.server!.pid, "SIGSTOP");
    await sleep(chance.int(OUTAGE_MS));
    process.kill(node.server!.pid, "SIGCONT");
    return `suspended nats-server ${node.name}`;
  },
];
