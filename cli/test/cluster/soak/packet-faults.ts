import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Direction } from "../../../../cluster/test/faulty-link.js";
import { type Fault, LEASE_MS, OUTAGE_MS } from "./fault.js";

const run = promisify(execFile);
/** Priorities of the rules that lose packets, and of the rule for local addresses behind them. */
const LOSS = "10";
const LOCAL = "100";
const PORT_OF = { requests: "dport", answers: "sport" } as const satisfies Record<Direction, string>;

/** Runs the command behind it in a new network namespace. Needs Linux and root. */
export const NAMESPACE = [
  "unshare",
  "--net",
  "sh",
  "-c",
  'ip link set lo up && MEMBUS_SOAK_NAMESPACE=1 exec "$@"',
  "sh",
] as const;

/** @throws {TypeError} unless `NAMESPACE` runs this program. */
export function requireNamespace(): void {
  if (process.env.MEMBUS_SOAK_NAMESPACE === "1") return;
  throw new TypeError("--lose-packets changes the rules of the network, so it needs a network namespace");
}

/** Prepares the network namespace: rules that lose packets come before the one for local addresses. */
export async function preparePacketLoss(): Promise<void> {
  await run("ip", ["rule", "add", "pref", LOCAL, "lookup", "local"]);
  await run("ip", ["rule", "del", "pref", "0"]);
}

/**
 * The kernel loses all packets between a host and all servers. Open connections go on without packets. New ones fail at once if the
 * requests are lost, and wait if the answers are.
 */
const losePackets =
  (...directions: Direction[]): Fault =>
  async (stage, chance) => {
    const name = chance.one(stage.names);
    const rules = stage
      .links(name)
      .all.flatMap(({ url }) => directions.map((direction) => [PORT_OF[direction], new URL(url).port]));
    for (const rule of rules)
      await run("ip", ["rule", "add", "pref", LOSS, "ipproto", "tcp", ...rule, "blackhole"]);
    await sleep(LEASE_MS + chance.int(OUTAGE_MS));
    for (const _rule of rules) await run("ip", ["rule", "del", "pref", LOSS]);
    return `${directions.join(" and ")} of ${name} were lost as packets`;
  };

export const PACKET_FAULTS: readonly Fault[] = [
  losePackets("requests", "answers"),
  losePackets("requests"),
  losePackets("answers"),
];
