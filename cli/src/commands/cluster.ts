import type { Command } from "commander";
import { CLUSTER_NAME_FLAG, type ClusterFlags } from "../flags/cluster-flags.js";
import { definedOnly } from "../flags/defined-only.js";
import { numberFlag } from "../flags/json-argument.js";
import { openSession, type Session } from "../session.js";
import { confirm } from "../terminal/confirm.js";

type NameFlag = Pick<ClusterFlags, "clusterName">;

interface WaitFlags extends NameFlag {
  readonly wait: string;
}

interface ConfigFlags {
  readonly shards: string;
  readonly servers?: string;
  readonly local?: boolean;
  readonly output?: string;
  readonly storeDir?: string;
  readonly include?: string;
}

interface InitFlags extends NameFlag {
  readonly store: string;
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
  registerConfig(cluster);
  cluster
    .command("init")
    .description("create a cluster on running nats-servers and an object store")
    .requiredOption("--store <url>", "place of the tables, such as s3://bucket/path")
    .option(...CLUSTER_NAME_FLAG)
    .option("--shards <number>", "number of shards. Each has one owner at a time", "16")
    .option("--replicas <number>", "nats-servers that store each record", "3")
    .option("--lease-ms <number>", "time after which other hosts take the shards of a silent one", "10000")
    .addHelpText("after", INIT_EXPLANATION)
    .action(async (flags: InitFlags, command: Command) => {
      const session = await openClusterSession(command, flags);
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
    .option(...CLUSTER_NAME_FLAG)
    .action(async (flags: NameFlag, command: Command) => {
      const session = await openClusterSession(command, flags);
      const { showStatus } = await import("../cluster/show-status.js");
      await showStatus(session);
    });
  registerMoves(cluster);
}

const CONFIG_EXPLANATION = `
The command prints the lines that every nats-server of a cluster needs: a mapping of each tenant to its shard. With --servers it
writes a whole configuration for each server, for example NAME.conf, and the mapping. With --local these are three servers on this
machine, for a trial. No file is overwritten.`;

function registerConfig(cluster: Command): void {
  cluster
    .command("config")
    .description("print or write the configuration of the nats-servers of a cluster")
    .option("--shards <number>", "number of shards", "16")
    .option("--servers <name,..>", "host names of all nats-servers: write a configuration for each")
    .option("--local", "write a configuration for three servers on this machine, for a trial")
    .option("--output <folder>", "folder of the written files (default: this one)")
    .option(
      "--store-dir <folder>",
      "folder of JetStream's files (default /var/lib/nats, with --local the output)",
    )
    .option("--include <file>", "include this file of `membus auth`, which has the mapping")
    .addHelpText("after", CONFIG_EXPLANATION)
    .action(async ({ servers, shards, local, ...flags }: ConfigFlags, command: Command) => {
      if (servers !== undefined && local) throw new TypeError("--servers and --local exclude each other");
      const session = await openSession(command);
      const shardCount = numberFlag("--shards", shards);
      if (servers !== undefined || local) {
        const { writeServerConfigs } = await import("../cluster/write-server-configs.js");
        return writeServerConfigs(session, { ...flags, servers: servers?.split(","), shardCount });
      }
      if (Object.keys(flags).length > 0)
        throw new TypeError("--output, --store-dir and --include need --servers or --local");
      const { mappingLines } = await import("@membus/cluster/routing");
      const text = mappingLines(session.config.prefix, shardCount);
      session.output.result({ config: text }, () => text);
    });
}

const WAIT_FLAG = ["--wait <seconds>", "how long to wait for the effect", "300"] as const;

function registerMoves(cluster: Command): void {
  cluster
    .command("drain")
    .description("give the shards of a host to the others, for example before its machine is stopped")
    .argument("<host>", "name of the host")
    .option(...CLUSTER_NAME_FLAG)
    .option("--undo", "let the host take shards again. A restart does it too")
    .option(...WAIT_FLAG)
    .action(async (host: string, flags: WaitFlags & { undo?: boolean }, command: Command) => {
      const session = await openClusterSession(command, flags);
      const { drain, endDrain } = await import("../cluster/move-shards.js");
      if (flags.undo) await endDrain(session, host);
      else await drain(session, host, waiting(flags));
    });
  cluster
    .command("move")
    .description("move a shard to a host, where it stays while the host runs")
    .argument("<shard>", "number of the shard", shardNumber)
    .argument("[host]", "name of the host")
    .option(...CLUSTER_NAME_FLAG)
    .option("--undo", "let the cluster choose the host again")
    .option(...WAIT_FLAG)
    .action(
      async (
        shard: number,
        host: string | undefined,
        flags: WaitFlags & { undo?: boolean },
        command: Command,
      ) => {
        if ((host === undefined) !== (flags.undo === true)) throw new TypeError("give a host or --undo");
        const session = await openClusterSession(command, flags);
        const { endMove, move } = await import("../cluster/move-shards.js");
        if (host === undefined) await endMove(session, shard);
        else await move(session, shard, host, waiting(flags));
      },
    );
  cluster
    .command("accept-loss")
    .description("serve a shard without its missing log streams, and without its missing or damaged tables")
    .argument("<shard>", "number of the shard", shardNumber)
    .option(...CLUSTER_NAME_FLAG)
    .option("--yes", "do not ask for confirmation")
    .option(...WAIT_FLAG)
    .action(async (shard: number, flags: WaitFlags & { yes?: boolean }, command: Command) => {
      const session = await openClusterSession(command, flags);
      const { acceptLoss } = await import("../cluster/accept-loss.js");
      const confirmLoss = async (problem: string) => {
        session.output.note(problem);
        if (!flags.yes) await confirm(`gives up what shard ${shard} has lost`, String(shard));
      };
      await acceptLoss(session, shard, { ...waiting(flags), confirmLoss });
    });
}

/** @throws {TypeError} for anything but digits. */
function shardNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new TypeError(`the shard must be a number, got ${JSON.stringify(text)}`);
  return Number(text);
}

const waiting = ({ wait }: WaitFlags) => ({ waitS: numberFlag("--wait", wait) });

function openClusterSession(command: Command, { clusterName: name }: NameFlag): Promise<Session> {
  return openSession(command, { cluster: definedOnly({ name }) });
}
