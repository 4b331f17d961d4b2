import type { Command } from "commander";
import { definedOnly } from "../flags/defined-only.js";
import { numberFlag } from "../flags/json-argument.js";
import { openSession } from "../session.js";

interface InitFlags {
  readonly store: string;
  readonly clusterName?: string;
  readonly shards: string;
  readonly replicas: string;
  readonly leaseMs: string;
}

const INIT_EXPLANATION = `
The nats-servers must run, with JetStream and the mapping that \`membus cluster config\` prints. The object store must have
conditional writes. Its credentials are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, its region from AWS_REGION, and
its address from AWS_ENDPOINT_URL if it is not AWS. None of the values can be changed later.`;

export function registerCluster(program: Command): void {
  const cluster = program
    .command("cluster")
    .description("create and watch a cluster: several hosts with JetStream and an object store");
  cluster
    .command("config")
    .description("print the lines that the configuration of every nats-server of a cluster needs")
    .option("--shards <number>", "number of shards", "16")
    .action(async (flags: Pick<InitFlags, "shards">, command: Command) => {
      const { config, output } = await openSession(command);
      const { mappingLines } = await import("@membus/cluster");
      const text = mappingLines(config.prefix, numberFlag("--shards", flags.shards));
      output.result({ config: text }, () => text);
    });
  cluster
    .command("init")
    .description("create a cluster on running nats-servers and an object store")
    .requiredOption("--store <url>", "place of the tables, such as s3://bucket/path")
    .option("--cluster-name <name>", "name of the cluster's bucket in NATS (default membus)")
    .option("--shards <number>", "number of shards. Each has one owner at a time", "16")
    .option("--replicas <number>", "nats-servers that store each record", "3")
    .option("--lease-ms <number>", "time after which other hosts take the shards of a silent one", "10000")
    .addHelpText("after", INIT_EXPLANATION)
    .action(async ({ clusterName, ...flags }: InitFlags, command: Command) => {
      const session = await openSession(command, { cluster: definedOnly({ name: clusterName }) });
      const { initCluster } = await import("../cluster/init-cluster.js");
      await initCluster(session, {
        store: flags.store,
        shardCount: numberFlag("--shards", flags.shards),
        replicas: numberFlag("--replicas", flags.replicas),
        leaseMs: numberFlag("--lease-ms", flags.leaseMs),
      });
    });
  cluster
    .command("status")
    .description("show the hosts, the owner of each shard, and the nats-servers of a cluster")
    .option("--cluster-name <name>", "name of the cluster's bucket in NATS (default membus)")
    .action(async ({ clusterName }: Pick<InitFlags, "clusterName">, command: Command) => {
      const session = await openSession(command, { cluster: definedOnly({ name: clusterName }) });
      const { showStatus } = await import("../cluster/show-status.js");
      await showStatus(session);
    });
}
