import { randomInt } from "node:crypto";
import { type Clock, integerOption, type ResolvedOptions, resolveOptions } from "@membus/protocol";
import type { ChatModel, ModelReply, ModelRequest } from "../chat-model.js";
import type { CostMeter } from "../cost.js";
import { ModelError } from "../model-error.js";

const PAUSE_FIRST_MS = 500;
const PAUSE_MAX_MS = 8_000;
const UNTOLD = Object.freeze({ inputTokens: 0, outputTokens: 0 });

export interface RetryOptions {
  /**
   * Further attempts of one request after "rate_limited", "unavailable" or "timeout", integer 0..20.
   * @default 2
   */
  readonly retryCountMax?: number | undefined;
  /**
   * Longest that all pauses between attempts of one request may take together, in milliseconds, integer 0..3600000. A pause
   * is as long as the provider asks for, else 0.5 s, 1 s and so on up to 8 s, less up to a quarter. One that does not fit
   * in is not begun: the error of the last attempt is thrown at once.
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

/** One answer of `model`, with as many attempts as `retry` allows; each of them is on the meter, whatever it came to. */
export async function completeWithRetries(
  model: ChatModel,
  request: ModelRequest,
  meter: CostMeter,
  retry: ResolvedOptions<RetryOptions>,
): Promise<ModelReply> {
  let leftMs = retry.retryWaitMsMax;
  for (let attempt = 0; ; attempt++) {
    request.signal?.throwIfAborted();
    try {
      const reply = await model.complete(request);
      meter.model(reply.usage);
      return reply;
    } catch (error) {
      meter.model(UNTOLD);
      if (!(error instanceof ModelError) || !error.retryable || attempt >= retry.retryCountMax) throw error;
      const pauseMs = error.retryAfterMs ?? backoffMs(attempt);
      if (pauseMs > leftMs) throw error;
      leftMs -= pauseMs;
      await pause(meter.clock, pauseMs, request.signal);
    }
  }
}

/** Less up to a quarter, so that agents that failed together do not return together. */
function backoffMs(attempt: number): number {
  const fullMs = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** attempt);
  return fullMs - randomInt(fullMs / 4);
}

/** @throws the signal's reason, as soon as it is aborted. */
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
