import type { PluginAgentsRequest, PluginAgentsResult } from "@membus/protocol/plugin";
import { Yielder } from "../yielder.js";
import type { TierCore } from "./tier.js";

/** Names processed per step, at most some milliseconds. */
const STEP = 4_096;

/**
 * Lists the agents with private entries (clause PLUG-29). It reads the names of partitions, and loads only
 * partitions with changes that are not in storage yet.
 */
export async function agents(
  { registry }: Pick<TierCore, "registry">,
  { tenant, after, limit }: PluginAgentsRequest,
): Promise<PluginAgentsResult> {
  const names = [...(await registry.agents(tenant))].filter((name) => after === undefined || name > after);
  const yielder = new Yielder();
  let first: string[] = [];
  for (let from = 0; from < names.length; from += STEP) {
    await yielder.yieldIfDue();
    first = [...first, ...names.slice(from, from + STEP)].sort().slice(0, limit);
  }
  return { agents: first };
}
