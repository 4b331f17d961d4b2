import { randomInt } from "node:crypto";
import { type Clock, integerOption, type ResolvedOptions, resolveOptions } from "@membus/protocol";
import type { ChatModel, ModelReply, ModelRequest, TokenUsage } from "../chat-model.js";
import type { CostMeter } from "../cost.js";
import { ModelError } from "../model-error.js";

const PAUSE_FIRST_MS = 500;
const PAUSE_MAX_MS = 8_000;
const REFUSAL_LENGTH_MAX = 500;
const NO_USAGE = Object.freeze({ inputTokens: 0, outputTokens: 0 });

export interface RetryOptions {
  /**
   * Maximum number of retries of a request after "rate_limited", "unavailable" or "timeout", integer 0..20.
   * @default 2
   */
  readonly retryCountMax?: number | undefined;
  /**
   * Maximum sum of the pauses between attempts in milliseconds, integer 0..3600000. A pause has the length
   * that the provider requests, else 0.5 s, 1 s and so on up to 8 s, minus a random quarter. If a pause
   * exceeds the rest, the last error is thrown immediately.
   * @default 30000
   */
  readonly retryWaitMsMax?: number | undefined;
}

export const RETRY_DEFAULTS = Object.freeze({ retryCountMax: 2, retryWaitMsMax: 30_000 });

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveRetryOptions(input: RetryOptions): ResolvedOptions<RetryOptions> {
  return resolveOptions<ResolvedOptions<RetryOptions>>(input, RETRY_DEFAULTS, {
    retryCountMax: integerOption(0, 20),
    retryWaitMsMax: integerOption(0, 3_600_000),
  });
}

/**
 * Returns a reply of `model`, with the attempts that `retry` allows. The meter counts each of them.
 * @throws {ModelError} also "refused" if the model refuses.
 */
export async function completeWithRetries(
  model: ChatModel,
  request: ModelRequest,
  meter: CostMeter,
  retry: ResolvedOptions<RetryOptions>,
): Promise<ModelReply> {
  let leftMs = retry.retryWaitMsMax;
  for (let attempt = 0; ; attempt++) {
    request.signal?.throwIfAborted();
    const reply = await completeMetered(model, request, meter);
    if (!(reply instanceof ModelError)) return checkRefusal(reply);
    const pauseMs = reply.retryAfterMs ?? backoffMs(attempt);
    if (!reply.retryable || attempt >= retry.retryCountMax || pauseMs > leftMs) throw reply;
    leftMs -= pauseMs;
    await pause(meter.clock, pauseMs, request.signal);
  }
}

async function completeMetered(
  model: ChatModel,
  request: ModelRequest,
  meter: CostMeter,
): Promise<ModelReply | ModelError> {
  let usage: TokenUsage = NO_USAGE;
  try {
    const reply = await model.complete(request);
    usage = reply.usage;
    return reply;
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  } finally {
    meter.model(usage);
  }
}

function checkRefusal(reply: ModelReply): ModelReply {
  if (reply.finishReason !== "refusal") return reply;
  throw new ModelError("refused", `the model refused: ${reply.text.slice(0, REFUSAL_LENGTH_MAX)}`);
}

/** Subtracts a random quarter, so that clients that failed together do not retry together. */
function backoffMs(attempt: number): number {
  const fullMs = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** attempt);
  return fullMs - randomInt(fullMs / 4);
}

/** @throws the signal's reason when it is aborted. */
function pause(clock: Clock, pauseMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = clock.after(pauseMs, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}
