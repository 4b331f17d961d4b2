import { isMemoryError } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { readHostStats } from "../host-stats.js";
import type { Finding } from "./check-node.js";

/** Whether the tiers of the host that answers take stores and are kept up and whole; nothing where none answers, which another check tells. */
export async function checkTiers(config: Config): Promise<Finding[]> {
  try {
    const hosts = await readHostStats(config);
    return hosts.flatMap(({ tiers = {} }) =>
      Object.entries(tiers).map(([tier, stats]) => findingOf(tier, stats)),
    );
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    if (error.code !== "unauthorized") return [];
    const found = "this user may not ask for the figures";
    return [{ check: "tiers", state: "warning", found, advice: "run it as the operator" }];
  }
}

function findingOf(tier: string, stats: Readonly<Record<string, unknown>>): Finding {
  const check = `tier ${tier}`;
  if (stats.serving === false) {
    const advice = "its log cannot be written: see whether its folder is there, writable and not full";
    return { check, state: "problem", found: "it takes no stores at present", advice };
  }
  const damaged = Number(stats.tables_damaged ?? 0);
  if (damaged > 0) {
    const found = `${damaged} of its ${stats.tables} tables are damaged, or lack rows: their tenants are refused`;
    const advice =
      "the host's log names each: put back what is missing, or start it with --accept-loss if only rows are";
    return { check, state: "problem", found, advice };
  }
  const failures = Number(stats.maintain_failures_in_a_row ?? 0);
  if (failures === 0) return { check, state: "ok", found: `${stats.plugin}` };
  const found = `its maintenance has failed ${failures} times in a row: nothing is flushed, compacted or purged`;
  return {
    check,
    state: "problem",
    found,
    advice: "the host's log says why; a full disk is the commonest cause",
  };
}
