import { parseOptions } from "@membus/protocol";
import {
  type ChatModel,
  CostMeter,
  completeWithRetries,
  ModelError,
  type ModelReply,
  type ModelRequest,
  type RetryOptions,
  RetryOptionsSchema,
} from "../model/index.js";
import type { ContextWindow } from "./context-window.js";

/** Maximum number of compactions for one request. */
const COMPACTIONS_MAX = 2;

/**
 * Returns the model's answer to the messages of a window. If they are too large for the model, they are
 * compacted and sent again, at most twice. The answer is not added to the conversation.
 *
 * @throws {ModelError} as `model.complete` does, after the retries that `retries` allow. "too_large" if
 * compaction cannot make the messages small enough.
 */
export async function completeInWindow(
  model: ChatModel,
  window: ContextWindow,
  request: Omit<ModelRequest, "messages"> = {},
  { meter = new CostMeter(window.clock), ...retries }: RetryOptions & { readonly meter?: CostMeter } = {},
): Promise<ModelReply> {
  const retry = parseOptions(RetryOptionsSchema, retries);
  for (let compactions = 0; ; compactions++) {
    try {
      return await completeWithRetries(
        model,
        { ...request, messages: await window.messages() },
        meter,
        retry,
      );
    } catch (error) {
      if (!(error instanceof ModelError) || error.code !== "too_large") throw error;
      if (compactions === COMPACTIONS_MAX || !(await window.compactForPayloadError())) throw error;
    }
  }
}
