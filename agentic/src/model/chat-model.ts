import type { RecordContent } from "@membus/protocol/records";
import type { BudgetState } from "./budget-state.js";

/** A message for a model: the content of a `message` record (chapter 7). */
export type ChatMessage = RecordContent<"message">;

/** Declaration of a tool for a model. `parameters` is a JSON Schema of an object. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

/** A tool call that a model requests. `arguments` is the text that it wrote: normally JSON. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolDeclaration[] | undefined;
  /**
   * JSON Schema of the answer, enforced if the provider can. The messages must describe the form too, as
   * `generateObject` does.
   */
  readonly schema?: { readonly name: string; readonly schema: object } | undefined;
  /** 1..1000000. Absent: the limit of the model. */
  readonly maxOutputTokens?: number | undefined;
  /** 0..2. Absent: the default of the model. */
  readonly temperature?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ModelReply {
  /** Text of the reply, or of a refusal. Often "" with tool calls. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /**
   * "refusal" means that the model refused. If the provider rejects the request, `complete` throws "refused"
   * instead.
   */
  readonly finishReason: "stop" | "length" | "tool_calls" | "refusal" | "other";
  readonly usage: TokenUsage;
  /** State of the budget after the call. Absent without a budget. */
  readonly budget?: BudgetState | undefined;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Cost in US dollars. Absent without a budget. */
  readonly usd?: number | undefined;
}

/** A chat model. Implement this interface to use another provider. */
export interface ChatModel {
  /**
   * Returns a reply to the messages.
   * @throws {ModelError} with a `code`, and with `retryAfterMs` if the provider sent it. The signal's reason
   * if aborted.
   */
  complete(request: ModelRequest): Promise<ModelReply>;
  /**
   * Returns the number of tokens that a request and its reply may have together. undefined if the provider does
   * not report it. It fails only with the signal's reason. Absent: unknown.
   */
  contextTokens?(signal?: AbortSignal): Promise<number | undefined>;
}

/** A part of a streamed reply. The last part is the whole reply. */
export type ModelStreamPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reply"; readonly reply: ModelReply };

/** A model that can stream its replies. */
export interface StreamingChatModel extends ChatModel {
  /**
   * Yields the non-empty texts of the reply in order, then the whole reply. The request is sent when the
   * first part is read. Ending the iteration aborts the request.
   * @throws {ModelError} as `complete` does, also after some texts. The reply is then incomplete and must be
   * discarded.
   */
  completeStream(request: ModelRequest): AsyncIterable<ModelStreamPart>;
}
