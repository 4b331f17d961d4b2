import type { ModelReply, TokenUsage } from "../chat-model.js";
import { ModelError } from "../model-error.js";
import { type CompletionChunk, replyOf, toolCall, usageOf } from "./read-reply.js";

interface CallBuffer {
  id: string;
  name: string;
  arguments: string;
}

/** Assembles a streamed completion. */
export class StreamCollector {
  #text = "";
  #refusal = "";
  #finishReason: string | undefined;
  #usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  readonly #calls = new Map<number, CallBuffer>();

  /** Returns the text that `chunk` adds. Often "". */
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

  /** @throws {ModelError} "unavailable" if the stream ended before the reply was complete. */
  reply(): ModelReply {
    if (this.#finishReason === undefined) {
      throw new ModelError("unavailable", "the model provider's stream ended before the reply was complete");
    }
    return replyOf({
      text: this.#text,
      refusal: this.#refusal,
      toolCalls: [...this.#calls.values()].map((call) => toolCall(call.id, call.name, call.arguments)),
      finishReason: this.#finishReason,
      usage: this.#usage,
    });
  }

  /**
   * Returns the buffer of a call. Without an index, an id starts a new call, and a delta without an id
   * continues the last one.
   */
  #callAt(index: number | undefined, id: string): CallBuffer {
    const at = index ?? (id === "" ? Math.max(0, this.#calls.size - 1) : this.#calls.size);
    const call = this.#calls.get(at) ?? { id: "", name: "", arguments: "" };
    call.id ||= id;
    this.#calls.set(at, call);
    return call;
  }
}
