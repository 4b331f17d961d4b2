import type { Chance } from "../../crash/kill-loop/chance.js";
import type { ClusterStage } from "../cluster-stage.js";

export const SHARD_COUNT = 8;
export const LEASE_MS = 3_000;
/** Longest time in which something does not answer. */
export const OUTAGE_MS = 4 * LEASE_MS;

/**
 * Makes something fail and repairs it. Returns a description. The random durations are lengths of outages: no result depends on them,
 * because clients must go on after each.
 */
export type Fault = (stage: ClusterStage, chance: Chance) => Promise<string>;
