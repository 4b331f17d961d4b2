import type { RecordContent } from "@membus/protocol";

/** A message as a model reads it: the content of a `message` record (chapter 7). */
export type ChatMessage = RecordContent<"message">;

/** A tool as a model sees it. `parameters` is a JSON Schema of an object. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

/** A call that a model asks for. `arguments` is what it wrote: JSON, if it kept to its tools. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolDeclaration[] | undefined;
  /** JSON Schema of the answer: the model is held to it where its provider can, and asked for it where it cannot. */
  readonly schema?: { readonly name: string; readonly schema: object } | undefined;
  /** 1..1000000; absent: as many as the model gives. */
  readonly maxOutputTokens?: number | undefined;
  /** 0..2; absent: the model's own. */
  readonly temperature?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ModelReply {
  /** "" beside tool calls, or where the model says nothing; of a refusal, its words. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** "refusal" is the model's own: a provider that refuses the request makes `complete` throw "refused". */
  readonly finishReason: "stop" | "length" | "tool_calls" | "refusal" | "other";
  readonly usage: TokenUsage;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What answers messages. The only thing here that a model is needed for; others are made by implementing it. */
export interface ChatModel {
  /**
   * @throws {ModelError} for whatever keeps it from answering: `code` says what, `retryAfterMs` how long to wait where the
   * provider has said so. Aborted by its signal it throws the signal's reason.
   */
  complete(request: ModelRequest): Promise<ModelReply>;
}

/** A piece of a reply that is being written; the last one is the reply as a whole. */
export type ModelStreamPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reply"; readonly reply: ModelReply };

/** A model whose words can be read while it writes them. */
export interface StreamingChatModel extends ChatModel {
  /**
   * The texts of the reply in order, none empty, then the reply; nothing is sent before the first is asked for. Who stops
   * reading ends the request.
   * @throws {ModelError} as `complete` does, also after some of the texts: then there is no reply, and what was read of it
   * is not one.
   */
  completeStream(request: ModelRequest): AsyncIterable<ModelStreamPart>;
}
