import type { ModelReply, TokenUsage } from "../chat-model.js";
import { ModelError } from "../model-error.js";
import { type CompletionChunk, replyOf, toolCall, usageOf } from "./read-reply.js";

interface CallBuffer {
  id: string;
  name: string;
  arguments: string;
}

/** Puts a streamed completion together. */
export class StreamCollector {
  #text = "";
  #refusal = "";
  #finishReason: string | undefined;
  #usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  readonly #calls = new Map<number, CallBuffer>();

  /** The text that `chunk` adds to the answer, often none. */
  add({ choices, usage }: CompletionChunk): string {
    this.#usage = usageOf(usage) ?? this.#usage;
    const choice = choices?.[0];
    const { content, refusal, tool_calls } = choice?.delta ?? {};
    this.#finishReason = choice?.finish_reason ?? this.#finishReason;
    this.#text += content ?? "";
    this.#refusal += refusal ?? "";
    for (const delta of tool_calls ?? []) {
      const call = this.#callAt(delta.index ?? undefined, delta.id ?? "");
      call.name += delta.function?.name ?? "";
      call.arguments += delta.function?.arguments ?? "";
    }
    return content ?? "";
  }

  /** @throws {ModelError} "unavailable" where the stream ended before the model did: half a reply is none. */
  reply(): ModelReply {
    if (this.#finishReason === undefined) {
      throw new ModelError("unavailable", "the provider's stream ended before the reply did");
    }
    return replyOf({
      text: this.#text,
      refusal: this.#refusal,
      toolCalls: [...this.#calls.values()].map((call) => toolCall(call.id, call.name, call.arguments)),
      finishReason: this.#finishReason,
      usage: this.#usage,
    });
  }

  /** Without an index, an id begins a call, and what has none goes on with the last. */
  #callAt(index: number | undefined, id: string): CallBuffer {
    const at = index ?? (id === "" ? Math.max(0, this.#calls.size - 1) : this.#calls.size);
    const call = this.#calls.get(at) ?? { id: "", name: "", arguments: "" };
    call.id ||= id;
    this.#calls.set(at, call);
    return call;
  }
}
