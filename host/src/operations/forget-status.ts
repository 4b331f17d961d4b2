import { MemoryError } from "@membus/protocol";
import type { PluginErasureResult } from "@membus/protocol/plugin";
import { hasFeature } from "../plugin-calls/index.js";
import type { Reply } from "../replies/index.js";
import { knownResults } from "./known-results.js";
import type { RequestContext, Runtime } from "./runtime.js";

/**
 * Reports whether the bytes that an earlier forget of the same agent deleted are erased from disk, as far as
 * the tiers know. Clauses STATUS-5 and STATUS-8.
 */
export async function forgetStatus(
  runtime: Runtime,
  context: RequestContext,
  requestId: string,
): Promise<Reply> {
  const { tenant, agent } = context.caller;
  const operation = { tenant, agent, id: requestId };
  const runners = [...runtime.tiers.values()].filter(({ features }) => hasFeature(features, "erasure"));
  if (runners.length === 0) {
    const detail = { path: "kind", feature: "erasure" };
    throw new MemoryError("unsupported", "no tier of this host reports the status of a forget", detail);
  }
  const isRunning = runtime.inFlight.has("memory/forget/req", operation);
  const calls = runners.map((runner) => runner.erasure(operation, context.deadlineAt));
  const known = await knownResults("forget", calls, isRunning);
  const state = isRunning ? ({ purge: "scheduled" } as const) : combinePurges(known);
  const fields = { kind: "forget", request_id: requestId, done: state.purge === "done" };
  return { fields: { ...fields, receipts: [], errors: [], ...state } };
}

/** Combines the results of all tiers, at least one. */
function combinePurges(known: readonly PluginErasureResult[]): PluginErasureResult {
  const purgedAt = known.map((result) => (result.purge === "done" ? result.purged_at : undefined));
  if (purgedAt.every((at) => at !== undefined)) return { purge: "done", purged_at: Math.max(...purgedAt) };
  const scheduled = known.filter((result) => result.purge === "scheduled");
  const ends = scheduled.map(({ purge_by }) => purge_by);
  const reason = scheduled.find(({ purge_reason }) => purge_reason !== undefined)?.purge_reason;
  return {
    purge: "scheduled",
    ...(ends.every((end) => end !== undefined) && { purge_by: Math.max(...ends) }),
    ...(reason !== undefined && { purge_reason: reason }),
  };
}
