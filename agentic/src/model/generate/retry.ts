import { backoffMs } from "@membus/openai-client";
import { delay, type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import type { ChatModel, ModelReply, ModelRequest } from "../chat-model.js";
import { type CostMeter, NO_USAGE } from "../cost.js";
import { ModelError } from "../model-error.js";

const REFUSAL_LENGTH_MAX = 500;

export const RetryOptionsSchema = optionSet({
  /**
   * Maximum number of retries of a request after "rate_limited" or "unavailable". A request that timed out is
   * not repeated, because it would take as long again.
   */
  retryCountMax: option.integer(0, 20).default(2),
  /**
   * Maximum sum of the pauses between attempts in milliseconds. The provider can request the length of a
   * pause. Otherwise a pause takes 0.5 s, 1 s and so on up to 8 s, minus a random part of up to a quarter. If a
   * pause exceeds the rest, the last error is thrown immediately.
   */
  retryWaitMsMax: option.integer(0, 3_600_000).default(30_000),
});

export interface RetryOptions extends OptionsOf<typeof RetryOptionsSchema> {}
export interface ResolvedRetryOptions extends ResolvedOptionsOf<typeof RetryOptionsSchema> {}

/**
 * Returns a reply of `model`, with the attempts that `retry` allows. The meter counts each of them.
 * @throws {ModelError} also "refused" if the model refuses.
 */
export async function completeWithRetries(
  model: ChatModel,
  request: ModelRequest,
  meter: CostMeter,
  retry: ResolvedRetryOptions,
): Promise<ModelReply> {
  let leftMs = retry.retryWaitMsMax;
  for (let attempt = 0; ; attempt++) {
    request.signal?.throwIfAborted();
    const reply = await completeMetered(model, request, meter);
    if (!(reply instanceof ModelError)) return checkRefusal(reply);
    const pauseMs = reply.retryAfterMs ?? backoffMs(attempt);
    if (!reply.retryable || reply.code === "timeout" || attempt >= retry.retryCountMax || pauseMs > leftMs)
      throw reply;
    leftMs -= pauseMs;
    await delay(meter.clock, pauseMs, request.signal);
  }
}

async function completeMetered(
  model: ChatModel,
  request: ModelRequest,
  meter: CostMeter,
): Promise<ModelReply | ModelError> {
  try {
    const reply = await model.complete(request);
    meter.model(reply.usage, reply.budget);
    return reply;
  } catch (error) {
    if (error instanceof ModelError) return meter.failed(error);
    meter.model(NO_USAGE);
    throw error;
  }
}

function checkRefusal(reply: ModelReply): ModelReply {
  if (reply.finishReason !== "refusal") return reply;
  throw new ModelError("refused", `the model refused: ${reply.text.slice(0, REFUSAL_LENGTH_MAX)}`);
}
