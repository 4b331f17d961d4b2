import { type DecodedRequest, MemoryError, type PluginStatusResult } from "@membus/protocol";
import type { Reply } from "../replies/index.js";
import { forgetStatus } from "./forget-status.js";
import type { RequestContext, Runtime } from "./runtime.js";
import { byIndex, entryError, receiptFields } from "./store.js";

type StatusRequest = Extract<DecodedRequest, { type: "memory/status/req" }>;

/**
 * What became of an earlier store of the same agent, as the tiers tell it. Entries that the host refused were in its
 * reply and are not kept. A store that is still under way is not done, whatever the tiers know already.
 */
export async function status(
  runtime: Runtime,
  context: RequestContext,
  request: StatusRequest,
): Promise<Reply> {
  const kind = request.kind ?? "store";
  if (kind === "forget") return forgetStatus(runtime, context, request.request_id);
  if (kind !== "store") {
    throw new MemoryError("unsupported", "only the status of a store or forget is known", { path: "kind" });
  }
  const { tenant, agent } = context.caller;
  const operation = { tenant, agent, id: request.request_id };
  const underWay = runtime.inFlight.has("memory/store/req", operation);
  const known: PluginStatusResult[] = [];
  const runners = [...runtime.tiers.values()].filter(
    ({ tier }) => context.tier === undefined || tier === context.tier,
  );
  const calls = runners.map((runner) => runner.status(operation, context.deadlineAt));
  for (const outcome of await Promise.all(calls)) {
    if (!outcome.ok) throw outcome.error;
    if (outcome.value !== undefined) known.push(outcome.value);
  }
  if (known.length === 0 && !underWay) {
    throw new MemoryError("memory_not_found", "no store of this agent has this id, or not any more");
  }
  const done = !underWay && known.every((result) => result.done);
  return { fields: { kind, request_id: operation.id, done, ...fates(runtime, operation.id, known) } };
}

function fates(runtime: Runtime, requestId: string, known: readonly PluginStatusResult[]) {
  const receipts = known.flatMap((result) => result.receipts).sort(byIndex);
  const errors = known.flatMap((result) => result.errors).sort(byIndex);
  return {
    receipts: receipts.map((receipt) => receiptFields(receipt, runtime.events.idOf(requestId, receipt))),
    errors: errors.map(({ index, error }) => entryError(index, null, error)),
  };
}
