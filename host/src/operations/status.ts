import { type DecodedRequest, MemoryError } from "@membus/protocol";
import type { PluginStatusResult } from "@membus/protocol/plugin";
import type { Reply } from "../replies/index.js";
import { forgetStatus } from "./forget-status.js";
import { knownResults } from "./known-results.js";
import type { RequestContext, Runtime } from "./runtime.js";
import { byIndex, entryError, receiptFields } from "./store.js";

type StatusRequest = Extract<DecodedRequest, { type: "memory/status/req" }>;

/**
 * Returns the result of an earlier store of the same agent, as the tiers report it. Entries that the host
 * refused were in its reply and are not kept. A store that is still running is never reported as done.
 */
export async function status(
  runtime: Runtime,
  context: RequestContext,
  request: StatusRequest,
): Promise<Reply> {
  const kind = request.kind ?? "store";
  if (kind === "forget") return forgetStatus(runtime, context, request.request_id);
  if (kind !== "store") {
    throw new MemoryError(
      "unsupported",
      "the status of this kind of request is not available. kind must be store or forget",
      { path: "kind" },
    );
  }
  const { tenant, agent } = context.caller;
  const operation = { tenant, agent, id: request.request_id };
  const isRunning = runtime.inFlight.has("memory/store/req", operation);
  const runners = [...runtime.tiers.values()].filter(
    ({ tier }) => context.tier === undefined || tier === context.tier,
  );
  const calls = runners.map((runner) => runner.status(operation, context.deadlineAt));
  const known = await knownResults("store", calls, isRunning);
  const done = !isRunning && known.every((result) => result.done);
  return {
    fields: { kind, request_id: operation.id, done, ...receiptsAndErrors(runtime, operation.id, known) },
  };
}

function receiptsAndErrors(runtime: Runtime, requestId: string, known: readonly PluginStatusResult[]) {
  const receipts = known.flatMap((result) => result.receipts).sort(byIndex);
  const errors = known.flatMap((result) => result.errors).sort(byIndex);
  return {
    receipts: receipts.map((receipt) => receiptFields(receipt, runtime.events.idOf(requestId, receipt))),
    errors: errors.map(({ index, error }) => entryError(index, null, error)),
  };
}
