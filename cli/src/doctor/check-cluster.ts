import { type HostStatus, requireTables } from "@membus/cluster";
import { TableBucket } from "@membus/plugin-lancedb/s3";
import { systemClock } from "@membus/protocol";
import {
  downLogServers,
  type ReportedCluster,
  type ReportedShard,
  readShards,
  sumOf,
} from "../cluster/read-shards.js";
import { readServerSettings } from "../cluster/server-settings.js";
import { tableBucketOptions } from "../cluster/table-store.js";
import { withCluster } from "../cluster/with-cluster.js";
import type { Config } from "../config/config-schema.js";
import type { Finding } from "./check-node.js";

const check = "cluster";

/** Checks hosts, shards, servers and object store of the configured cluster. Errors as in `findCluster`. */
export async function checkCluster(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  return withCluster(config, async (access) => {
    const { identity } = access;
    const status = await readShards(access);
    const found = `${identity.id} with ${identity.shardCount} shards`;
    return [
      { check, state: "ok", found },
      ...statusFindings(status),
      ...(await settingFindings(config)),
      await storeFinding(identity, env),
    ];
  });
}

/** Checks hosts, shards and servers. Without hosts all shards have the same problem, so only the hosts are named. */
export function statusFindings(status: ReportedCluster): Finding[] {
  const isServed = status.hosts.some(({ state }) => state === "running" || state === "leaving");
  const ofShards = isServed ? status.shards.flatMap(shardFindings) : [];
  return [...hostFindings(status), ...ofShards, ...serverFindings(status)];
}

export function hostFindings({ hosts, servers }: Pick<ReportedCluster, "hosts" | "servers">): Finding[] {
  const namesOf = (wanted: HostStatus["state"]) =>
    hosts.flatMap(({ host, state }) => (state === wanted ? [host] : [])).join(", ");
  const problem = (found: string, advice: string): Finding => ({
    ...{ check: "hosts", state: "problem", found, advice },
  });
  const [running, late] = [namesOf("running"), namesOf("late")];
  const found = `${late}: the lease was not renewed in time`;
  if (running !== "") {
    const advice = "see whether the host runs and reaches the nats-servers";
    const ok: Finding = { check: "hosts", state: "ok", found: running };
    return late === "" ? [ok] : [ok, { ...problem(found, advice), state: "warning" }];
  }
  if (late !== "") return [problem(found, adviceForLateHosts(servers))];
  return [problem("no host takes shards", "start hosts with `membus up --cluster`")];
}

/** Leases end also if servers report the stream of the bucket as healthy and store nothing. */
function adviceForLateHosts(servers: ReportedCluster["servers"]): string {
  const advice = "see whether the hosts run and reach the nats-servers";
  const leader = servers.every(({ isCurrent }) => isCurrent) ? servers[0] : undefined;
  if (leader === undefined) return advice;
  return `${advice}. If they do, restart nats-server ${leader.server}, which leads the bucket`;
}

/** Checks one shard by the report of its owner. */
export function shardFindings({ shard, host, report }: ReportedShard): Finding[] {
  const problem = (found: string, advice: string): Finding[] => [
    { check: `shard ${shard}`, state: "problem", found, advice },
  ];
  if (host === null) return problem("no host owns it", "wait a lease, then see the logs of the hosts");
  if (report === null) return problem(`${host} does not reply`, "see whether the host is overloaded");
  if (report.problem === null && !report.is_serving)
    return [{ check: `shard ${shard}`, state: "warning", found: `${host} is opening it` }];
  const stall =
    sumOf(report, "log_stalled") === 0
      ? []
      : problem(
          "its log accepts no stores",
          `see the log of ${host}, which names the nats-server to restart`,
        );
  if (report.problem === null) return stall;
  const isLoss = report.problem.detail.remedy === "--accept-loss";
  const advice = isLoss
    ? `restore these parts, or run \`membus cluster accept-loss ${shard}\``
    : `see the log of ${host}, which tries again`;
  const state = report.is_serving ? "serves it in part" : "cannot open it";
  return [...problem(`${host} ${state}: ${report.problem.message}`, advice), ...stall];
}

/** A server that is down is a problem, because stores stop when one more fails. */
export function serverFindings({ servers, shards }: Pick<ReportedCluster, "servers" | "shards">): Finding[] {
  const ofBucket = servers.filter(({ isCurrent }) => !isCurrent).map(({ server }) => server);
  const ofLogs = downLogServers(shards.map(({ report }) => report));
  return [...new Set([...ofBucket, ...ofLogs])].sort().map((server) => {
    const advice =
      "start it: stores stop if one more fails, and forgotten bytes stay on its disk until it is back";
    return { check: "nats-server", state: "problem", found: `${server} is down or late`, advice };
  });
}

/** Says whether the servers suit a cluster. */
async function settingFindings({ cluster }: Config): Promise<Finding[]> {
  const servers = await readServerSettings(cluster?.monitoring ?? []);
  if (servers.length === 0) {
    const advice = "name their monitoring ports in `cluster.monitoring`, so that hosts check them";
    const found = "whether the servers write each store to disk is unknown";
    return [{ check: "nats-server", state: "warning", found, advice }];
  }
  return servers.map(({ server, isKnown, problem }): Finding => {
    const check = "nats-server";
    if (problem === undefined) return { check, state: "ok", found: `${server} writes each store to disk` };
    return { check, state: isKnown ? "problem" : "warning", found: `${server}: ${problem}` };
  });
}

async function storeFinding(
  identity: Parameters<typeof requireTables>[1],
  env: NodeJS.ProcessEnv,
): Promise<Finding> {
  const { store } = identity;
  if (!env.AWS_ACCESS_KEY_ID) {
    const advice = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
    return { check: "store", state: "warning", found: `${store} was not checked`, advice };
  }
  try {
    const tables = TableBucket.connect(tableBucketOptions(store, env), systemClock);
    await requireTables(tables, identity);
    return { check: "store", state: "ok", found: store };
  } catch (error) {
    return { check: "store", state: "problem", found: (error as Error).message };
  }
}
