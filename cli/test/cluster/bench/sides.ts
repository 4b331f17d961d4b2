import { mappingLines } from "@membus/cluster/routing";
import { untilSucceeds } from "../../../../cluster/test/nats-cluster-fixture.js";
import { type BenchEnvironment, openEnvironment } from "../../../../tools/bench/src/harness/environment.js";
import { ClusterStage } from "../cluster-stage.js";

/** Number of shards that `membus cluster init` creates. */
export const SHARD_COUNT = 16;
/** Duration of a lease that `membus cluster init` sets, in seconds. */
export const LEASE_S = 10;

/** The cluster and the host with a folder that a benchmark compares. */
export interface Sides {
  /** A cluster on three servers that sync every write. Its hosts are started by each case. */
  readonly stage: ClusterStage;
  /** A server for hosts with a folder. */
  readonly single: BenchEnvironment;
}

export async function openSides(): Promise<Sides> {
  const single = await openEnvironment();
  const stage = await ClusterStage.open({ config: mappingLines("a2e", SHARD_COUNT), syncAlways: true });
  await stage.ok("cluster", "init", "--store", "s3://bucket/memory");
  return { stage, single };
}

export async function closeSides({ stage, single }: Sides): Promise<void> {
  await stage.close();
  await single.close();
}

interface Shard {
  readonly host: string | null;
  readonly report: { readonly is_serving: boolean } | null;
}

/** Waits until all shards are served, for a minute at most. Returns the owner of each. */
export function waitForOwners(stage: ClusterStage): Promise<string[]> {
  return untilSucceeds(async () => {
    const { shards } = JSON.parse(await stage.ok("cluster", "status", "--json")) as { shards: Shard[] };
    if (!shards.every(({ report }) => report?.is_serving)) throw new Error("a shard is not served");
    return shards.map(({ host }) => host!);
  });
}
