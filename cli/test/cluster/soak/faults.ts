import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../../crash/kill-loop/chance.js";
import type { ClusterStage } from "../cluster-stage.js";

export const SHARD_COUNT = 8;
export const LEASE_MS = 3_000;

const OUTAGE_MS = 8_000;

/** Makes something fail and repairs it. Returns a description. */
export type Fault = (stage: ClusterStage, chance: Chance) => Promise<string>;

export const FAULTS: readonly Fault[] = [
  async function kill(stage, chance) {
    const name = chance.one(stage.names);
    await stage.end(name, "SIGKILL");
    await sleep(chance.int(2 * LEASE_MS));
    await stage.start(name);
    return `killed ${name}`;
  },
  async function stop(stage, chance) {
    const name = chance.one(stage.names);
    await stage.end(name, "SIGTERM");
    await stage.start(name);
    return `stopped ${name}`;
  },
  async function suspend(stage, chance) {
    const name = chance.one(stage.names);
    stage.host(name).kill("SIGSTOP");
    await sleep(chance.int(4 * LEASE_MS));
    stage.host(name).kill("SIGCONT");
    return `suspended ${name}`;
  },
  async function killServer(stage, chance) {
    const node = chance.one(stage.nats.cluster.nodes);
    await node.kill();
    await sleep(chance.int(4 * LEASE_MS));
    await node.start();
    return `killed nats-server ${node.name}`;
  },
  async function refuseObjects(stage, chance) {
    const answer = chance.one([500, 503] as const);
    stage.s3.fail({ matches: () => true, afterEffect: answer === 500, answer, isLasting: true });
    await sleep(chance.int(OUTAGE_MS));
    stage.s3.heal();
    return `the store answered ${answer}`;
  },
  async function drain(stage, chance) {
    const name = chance.one(stage.names);
    const { code } = await stage.cli("cluster", "drain", name, "--wait", "60");
    await stage.cli("cluster", "drain", name, "--undo");
    return `drained ${name}${code === 0 ? "" : ", not in time"}`;
  },
  async function move(stage, chance) {
    const [shard, name] = [String(chance.int(SHARD_COUNT)), chance.one(stage.names)];
    const { code } = await stage.cli("cluster", "move", shard, name, "--wait", "60");
    await stage.cli("cluster", "move", shard, "--undo");
    return `moved shard ${shard} to ${name}${code === 0 ? "" : ", not in time"}`;
  },
  async function backUp(stage, chance) {
    const name = chance.one(stage.names);
    const backup = stage.ok("backup", "backups", "--cluster-name", "membus", "--keep", "1");
    await stage.end(name, "SIGKILL");
    await stage.start(name);
    await backup;
    return `backed up while ${name} was killed`;
  },
];
