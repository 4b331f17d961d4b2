import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { integerFlag } from "../../crash/soak-command.js";

export const HELP = `npm run soak:cluster -- [--minutes N] [--seed S] [--hosts N] [--plant]

Starts three nats-servers, an object store in this process and hosts of a cluster. Agents of eight tenants store, read and forget
while hosts are killed, stopped, suspended and drained, shards are moved, nats-servers are killed, the store does not answer, and
backups are made. In the end every acknowledged store must be there, no forgotten entry may be there, and no read may have been late. The
exit code is 1 otherwise.

  --minutes N   duration, the last fault is completed (default 10)
  --seed S      seed of the faults (default: random, printed at the start)
  --hosts N     number of hosts, 2..9 (default 5)
  --plant       forget an acknowledged entry behind the back of the check, which must find it
`;

export interface ClusterSoakFlags {
  readonly minutes: number;
  readonly seed: number;
  readonly hosts: number;
  readonly plant: boolean;
}

/** Returns undefined for a request of help. @throws {TypeError} naming the invalid flag. */
export function readClusterSoakFlags(args: string[]): ClusterSoakFlags | undefined {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: String(randomInt(1_000_000)) },
      hosts: { type: "string", default: "5" },
      plant: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return undefined;
  return {
    minutes: integerFlag("minutes", values.minutes, 1, 10_000),
    seed: integerFlag("seed", values.seed, 0),
    hosts: integerFlag("hosts", values.hosts, 2, 9),
    plant: values.plant,
  };
}
