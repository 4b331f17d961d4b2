import type { ModelReply, ModelRequest, TokenUsage, ToolCall } from "../chat-model.js";
import { ModelError } from "../model-error.js";
import { estimateUsage } from "../token-estimate.js";
import { type CompletionChunk, replyOf, toolCall, usageOf } from "./read-reply.js";
import { RunawayGuard } from "./runaway-guard.js";
import { findToolCalls } from "./text-tool-calls.js";

interface CallBuffer {
  id: string;
  name: string;
  arguments: string;
}

/** Assembles a streamed completion. Ends an answer that fills a schema when it runs away. */
export class StreamCollector {
  readonly #request: ModelRequest;
  readonly #guard: RunawayGuard | undefined;
  #text = "";
  #refusal = "";
  #finishReason: string | undefined;
  #isOver = false;
  #eventCount = 0;
  #hasChoices = false;
  #usage: TokenUsage | undefined;
  readonly #calls = new Map<number, CallBuffer>();

  constructor(request: ModelRequest) {
    this.#request = request;
    const { schema, maxOutputTokens } = request;
    this.#guard =
      schema !== undefined && maxOutputTokens !== undefined ? new RunawayGuard(maxOutputTokens) : undefined;
  }

  /**
   * Returns the text that `chunk` adds. Often "".
   * @throws {ModelError} "invalid_output" for an answer that runs away.
   */
  add({ choices, usage }: CompletionChunk): string {
    this.#usage = usageOf(usage) ?? this.#usage;
    this.#eventCount += 1;
    this.#hasChoices ||= choices != null;
    const choice = choices?.[0];
    const isWhole = choice?.message != null;
    const { content, refusal, tool_calls } = choice?.message ?? choice?.delta ?? {};
    this.#finishReason = choice?.finish_reason ?? this.#finishReason;
    // The usage comes last. A server may send it without a finish reason.
    this.#isOver ||= isWhole || this.#finishReason !== undefined || (choice === undefined && usage != null);
    this.#text += content ?? "";
    this.#refusal += refusal ?? "";
    for (const delta of tool_calls ?? []) {
      const call = this.#callAt(delta.index ?? undefined, delta.id ?? "");
      call.name += delta.function?.name ?? "";
      call.arguments += delta.function?.arguments ?? "";
    }
    if (!isWhole) this.#guard?.add(content ?? "");
    return content ?? "";
  }

  /** Usage of the reply so far, estimated if the provider did not report it. undefined before the first text. */
  get usage(): TokenUsage | undefined {
    if (this.#usage !== undefined) return this.#usage;
    const length = [...this.#calls.values()].reduce(
      (sum, call) => sum + call.name.length + call.arguments.length,
      this.#text.length + this.#refusal.length,
    );
    return length === 0 ? undefined : estimateUsage(this.#request, length);
  }

  /**
   * @throws {ModelError} "unavailable" if the stream ended before the reply was complete, "invalid_output" if its
   * events are no chat completion.
   */
  reply(): ModelReply {
    if (!this.#isOver && this.#eventCount > 0 && !this.#hasChoices) {
      throw new ModelError("invalid_output", "the model provider sent no chat completion");
    }
    if (!this.#isOver) {
      throw new ModelError("unavailable", "the model provider's stream ended before the reply was complete");
    }
    return replyOf({
      ...this.#textAndCalls(),
      refusal: this.#refusal,
      finishReason: this.#finishReason,
      usage: this.usage ?? estimateUsage(this.#request, 0),
    });
  }

  /** Returns the text and the calls. Calls that the model wrote as text count if their tools were offered. */
  #textAndCalls(): { readonly text: string; readonly toolCalls: readonly ToolCall[] } {
    const toolCalls = [...this.#calls.values()].map((call) => toolCall(call.id, call.name, call.arguments));
    const { tools = [] } = this.#request;
    if (toolCalls.length > 0 || tools.length === 0) return { text: this.#text, toolCalls };
    const { text, calls } = findToolCalls(this.#text, new Set(tools.map(({ name }) => name)));
    return { text, toolCalls: calls.map((call) => toolCall("", call.name, call.arguments)) };
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
