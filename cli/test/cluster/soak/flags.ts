import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { integerFlag } from "../../crash/soak-command.js";
import { NAMESPACE, requireNamespace } from "./packet-faults.js";

const MINUTES_DEFAULT = 10;
const NAMESPACE_COMMAND = NAMESPACE.map((word) => (word.includes(" ") ? `'${word}'` : word)).join(" ");

export const HELP = `npm run soak:cluster -- [--minutes N | --faults N] [--seed S] [--hosts N] [--outage-minutes N]
  [--lose-packets] [--purges] [--plant]

Starts three nats-servers, an object store in this process and hosts of a cluster. Agents of eight tenants store, read and forget
while faults happen one after another: hosts are killed, stopped, suspended, drained, cut from servers, or started with another
time. Shards are moved, backups are made, and nats-servers are killed, suspended, or create streams slowly. The store fails, is slow,
loses answers, sends half of them, or carries requests out late. An order of all calls must explain their answers: nothing is lost,
doubled or returns, and no read is stale. The exit code is 1 otherwise.

  --minutes N   duration, the last fault is completed (default ${MINUTES_DEFAULT})
  --faults N    number of faults, instead of a duration
  --seed S      seed of the faults (default: random, printed at the start)
  --hosts N     number of hosts, 2..9 (default 5)
  --outage-minutes N
                the store refuses everything for this long first (default 0)
  --lose-packets
                the kernel loses the packets of hosts first. Needs root on Linux:
                ${NAMESPACE_COMMAND} npm run soak:cluster -- --lose-packets
  --purges      make one in fifty forgets a purge, which waits for servers that are down or late
  --plant       forget the entries of a tenant behind the back of the check, which must find it
`;

export interface ClusterSoakFlags {
  /** Undefined if `faults` is given. */
  readonly minutes: number | undefined;
  readonly faults: number | undefined;
  readonly seed: number;
  readonly hosts: number;
  /** Time in which the store refuses everything, before the other faults. */
  readonly outageMinutes: number;
  /** Whether the kernel loses packets of hosts, before the other faults. */
  readonly losesPackets: boolean;
  /** Whether some forgets erase bytes before they are answered. */
  readonly purges: boolean;
  readonly plant: boolean;
}

/** Returns undefined for a request of help. @throws {TypeError} naming the invalid flag. */
export function readClusterSoakFlags(args: string[]): ClusterSoakFlags | undefined {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: "string" },
      faults: { type: "string" },
      seed: { type: "string", default: String(randomInt(1_000_000)) },
      hosts: { type: "string", default: "5" },
      "outage-minutes": { type: "string", default: "0" },
      "lose-packets": { type: "boolean", default: false },
      purges: { type: "boolean", default: false },
      plant: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return undefined;
  if (values["lose-packets"]) requireNamespace();
  const { minutes, faults } = values;
  if (minutes !== undefined && faults !== undefined) throw new TypeError("give either --minutes or --faults");
  const duration = minutes ?? (faults === undefined ? String(MINUTES_DEFAULT) : undefined);
  return {
    minutes: duration === undefined ? undefined : integerFlag("minutes", duration, 1, 10_000),
    faults: faults === undefined ? undefined : integerFlag("faults", faults, 1),
    seed: integerFlag("seed", values.seed, 0),
    hosts: integerFlag("hosts", values.hosts, 2, 9),
    outageMinutes: integerFlag("outage-minutes", values["outage-minutes"], 0, 60),
    losesPackets: values["lose-packets"],
    purges: values.purges,
    plant: values.plant,
  };
}
