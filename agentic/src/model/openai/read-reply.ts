import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { ModelReply, TokenUsage, ToolCall } from "../chat-model.js";
import { ModelError } from "../model-error.js";

/** Tokens of a reply. A higher count is not believed, because it would use up a budget, and the tokens are estimated. */
const TOKENS_MAX = 100_000_000;

const TokensSchema = z.number().int().min(0).max(TOKENS_MAX);
const UsageSchema = z.object({ prompt_tokens: TokensSchema, completion_tokens: TokensSchema });

const DeltaSchema = z
  .object({
    content: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: z
      .array(
        z.object({
          index: z.number().nullish(),
          id: z.string().nullish(),
          function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
        }),
      )
      .nullish(),
  })
  .nullish();

/**
 * The required fields of an event of a streamed chat completion. A server that does not stream sends one event
 * with the whole `message`. Compatible servers omit many other fields.
 */
const ChunkSchema = z.object({
  choices: z
    .array(z.object({ delta: DeltaSchema, message: DeltaSchema, finish_reason: z.string().nullish() }))
    .nullish(),
  usage: UsageSchema.nullish().catch(undefined),
});

export type CompletionChunk = z.infer<typeof ChunkSchema>;

/** The parts of a reply, streamed or not. */
export interface ReplyParts {
  readonly text: string;
  readonly refusal: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string | undefined;
  readonly usage: TokenUsage;
}

/** @throws {ModelError} "invalid_output" for an invalid event of a chat completion. */
export function readChunk(value: unknown): CompletionChunk {
  return checked(ChunkSchema, value);
}

export function usageOf(usage: CompletionChunk["usage"]): TokenUsage | undefined {
  return usage ? { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens } : undefined;
}

/** Completes a call. Some servers send no id, but its result needs one. Empty arguments become `{}`. */
export function toolCall(id: string, name: string, written: string): ToolCall {
  return {
    id: id === "" ? `call_${randomUUID()}` : id,
    name,
    arguments: written.trim() === "" ? "{}" : written,
  };
}

export function replyOf({ text, refusal, toolCalls, finishReason, usage }: ReplyParts): ModelReply {
  if (refusal !== "") return { text: refusal, toolCalls: [], finishReason: "refusal", usage };
  return { text, toolCalls, finishReason: finishReasonOf(finishReason, toolCalls.length > 0), usage };
}

/** Returns the finish reason. Some servers do not report "tool_calls". */
function finishReasonOf(reason: string | undefined, hasCalls: boolean): ModelReply["finishReason"] {
  if (reason === "content_filter") return "refusal";
  if (reason === "length") return "length";
  if (hasCalls) return "tool_calls";
  return reason === "stop" ? "stop" : "other";
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problem = z.prettifyError(result.error).slice(0, 500);
  throw new ModelError("invalid_output", `the model provider sent an invalid chat completion: ${problem}`);
}
