import { setTimeout as sleep } from "node:timers/promises";
import { type Fault, LEASE_MS, OUTAGE_MS, SHARD_COUNT } from "./fault.js";

const HOUR_MS = 3_600_000;

export const HOST_FAULTS: readonly Fault[] = [
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
    await sleep(chance.int(OUTAGE_MS));
    stage.host(name).kill("SIGCONT");
    return `suspended ${name}`;
  },
  async function shiftClock(stage, chance) {
    const [name, signal] = [chance.one(stage.names), chance.one(["SIGKILL", "SIGTERM"] as const)];
    const hours = chance.one([-1, 1]);
    await stage.end(name, signal);
    stage.clockShifts.set(name, hours * HOUR_MS);
    await stage.start(name);
    return `shifted the clock of ${name} by ${hours} h`;
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
