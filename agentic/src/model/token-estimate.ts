import type { ModelRequest, TokenUsage } from "./chat-model.js";

const TOKEN_LENGTH = 4;

/** Estimates the tokens of a text of `length` characters. */
export function estimateTokens(length: number): number {
  return Math.ceil(length / TOKEN_LENGTH);
}

/** Estimates the tokens of a request that got `outputLength` characters, for a provider that reports none. */
export function estimateUsage({ messages, tools = [] }: ModelRequest, outputLength: number): TokenUsage {
  const inputLength = JSON.stringify(messages).length + (tools.length > 0 ? JSON.stringify(tools).length : 0);
  return { inputTokens: estimateTokens(inputLength), outputTokens: estimateTokens(outputLength) };
}
