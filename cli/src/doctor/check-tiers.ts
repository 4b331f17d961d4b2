import { isMemoryError } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { hostName, readHostStats } from "../host-stats.js";
import type { Finding } from "./check-node.js";

/**
 * Checks whether the tiers of running hosts accept stores, are maintained, and have no damaged tables.
 * Returns no findings if no host responds, because another check reports that.
 */
export async function checkTiers(config: Config): Promise<Finding[]> {
  try {
    const hosts = await readHostStats(config);
    return hosts.flatMap((host) => {
      const isCluster = host.metadata?.cluster !== undefined;
      const of = hosts.length > 1 ? ` of host ${hostName(host)}` : "";
      return Object.entries(host.tiers ?? {}).map(([tier, stats]) =>
        findingOf(`tier ${tier}${of}`, stats, isCluster),
      );
    });
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    if (error.code !== "unauthorized") return [];
    const found = "this user may not read host statistics";
    const advice = "set `nats.auth` to the folder of `membus auth`, which contains the operator's key";
    return [{ check: "tiers", state: "warning", found, advice }];
  }
}

function findingOf(check: string, stats: Readonly<Record<string, unknown>>, isCluster: boolean): Finding {
  if (stats.serving === false) {
    const advice = "its log cannot be written: check that its folder exists, is writable and is not full";
    return { check, state: "problem", found: "stores are refused", advice };
  }
  const damaged = Number(stats.tables_damaged ?? 0);
  if (damaged > 0) {
    const found = `${damaged} of ${stats.tables} tables are damaged or lack rows: requests of their tenants are refused`;
    const advice = isCluster
      ? "see the problem of its shard"
      : "the host log names each table. Restore the missing files, or start the host with --accept-loss if only rows are missing";
    return { check, state: "problem", found, advice };
  }
  const failures = Number(stats.maintain_failures_in_a_row ?? 0);
  if (failures === 0) return { check, state: "ok", found: `${stats.plugin}` };
  const found = `maintenance has failed ${failures} times in a row: nothing is flushed, compacted or purged`;
  return {
    check,
    state: "problem",
    found,
    advice: "see the host log for the cause, most often a full disk",
  };
}
