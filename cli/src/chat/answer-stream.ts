import type { ChatMessage } from "@membus/agentic";
import type { ModelRequest, ModelStreamPart, StreamingChatModel } from "@membus/agentic/model";
import type { ChatMemory } from "./chat-memory.js";

/** A request for an answer, with the messages before and after the conversation. */
export interface AnswerRequest {
  readonly before: readonly ChatMessage[];
  readonly after: readonly ChatMessage[];
  readonly signal: AbortSignal;
}

type Parts = AsyncIterable<ModelStreamPart>;

export interface AnswerSources {
  readonly memory: ChatMemory;
  readonly model: StreamingChatModel;
  /** Answers with the stored messages of the conversation, as many as fit into the model's context. */
  answerInWindow(request: AnswerRequest): Parts;
}

/** Yields the model's answer. While memory fails, the conversation consists of the turns of this process. */
export async function* answerStream(
  { memory, model, answerInWindow }: AnswerSources,
  request: AnswerRequest,
): AsyncGenerator<ModelStreamPart, void, undefined> {
  const begun = memory.isAvailable ? await memory.attempt(() => begin(answerInWindow(request))) : undefined;
  yield* begun ?? answerAlone(model, memory.recent, request);
}

/** Resolves with the first part, because stored messages are read before it. */
async function begin(parts: Parts): Promise<Parts> {
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}

/** Sends fewer messages each time that the model rejects them as too large. */
async function* answerAlone(
  model: StreamingChatModel,
  recent: readonly ChatMessage[],
  { before, after, signal }: AnswerRequest,
): AsyncGenerator<ModelStreamPart, void, undefined> {
  for (let kept = recent; ; kept = kept.slice(kept.length - 2 * Math.floor(kept.length / 4))) {
    let hasBegun = false;
    const request: ModelRequest = { messages: [...before, ...kept, ...after], signal };
    try {
      for await (const part of model.completeStream(request)) {
        hasBegun = true;
        yield part;
      }
      return;
    } catch (error) {
      if (hasBegun || kept.length === 0 || (error as { code?: unknown }).code !== "too_large") throw error;
    }
  }
}
