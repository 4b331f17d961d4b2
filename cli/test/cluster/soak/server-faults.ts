import { setTimeout as sleep } from "node:timers/promises";
import { type Fault, OUTAGE_MS } from "./fault.js";

/** Kills this number of servers at the same moment, and starts them at the same moment or one after another. */
const killServers =
  (count: number): Fault =>
  async (stage, chance) => {
    const nodes = chance.some(stage.nats.cluster.nodes, count);
    await Promise.all(nodes.map((node) => node.kill()));
    await sleep(chance.int(OUTAGE_MS));
    const pauseMs = chance.one([0, chance.int(OUTAGE_MS)]);
    for (const [index, node] of nodes.entries()) {
      if (index > 0) await sleep(pauseMs / nodes.length);
      await node.start();
    }
    return `killed nats-server ${nodes.map(({ name }) => name).join(" and ")}`;
  };

export const SERVER_FAULTS: readonly Fault[] = [killServers(1), killServers(2), killServers(3)];
