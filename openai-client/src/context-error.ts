/** A request that is too long for the context of a model. */
export interface ContextError {
  /** Tokens of the model's context. Absent: the server does not report it. */
  readonly contextTokens?: number | undefined;
  /** Tokens of the request. Absent: the server does not report it. */
  readonly requestTokens?: number | undefined;
}

/** Codes and types of this error. */
const CODES = new Set(["context_length_exceeded", "exceed_context_size_error"]);

const WORDS =
  /context.{0,12}(?:length|window|size)|maximum (?:model|prompt) length|maximum.{0,20}tokens|(?:prompt|input|request).{0,12}too (?:long|large)|too many tokens|reduce the length/i;

const NUMBER = "(\\d[\\d,_]*)";

/** How servers word the size of the context, most specific first. */
const SIZES = [
  // "maximum context length is 8192", "context size (8192 tokens)", "context length of only 4096"
  `(?:context (?:length|size|window)|maximum model length)(?: is| of| of only|:)? ?\\(?${NUMBER}`,
  // "exceeds the maximum number of tokens allowed (1048576)"
  `maximum number of tokens(?: allowed)? ?\\(?${NUMBER}`,
  // "210000 tokens > 200000 maximum", "too large for model with 32768 maximum context length"
  `${NUMBER} maximum`,
  // "`inputs` tokens + `max_new_tokens` must be <= 4096"
  `must be <= ${NUMBER}`,
].map((source) => new RegExp(source, "i"));

/** How servers word the size of the request. */
const REQUEST_SIZES = [
  // "(568 in the messages, 6048 in the completion)"
  `${NUMBER} in the messages`,
  // "request (9030 tokens)", "Requested tokens (2138)", "input token count (1100000)", "prompt (length 35247)"
  `(?:request|requested|input|prompt)(?: tokens| token count)? \\((?:length )?${NUMBER}`,
  // "resulted in 9000 tokens", "your request has 9000 input tokens", "Prompt contains 40000 tokens", "too long: 210000"
  `(?:resulted in|requested|request has|contains|too long:) ${NUMBER}`,
].map((source) => new RegExp(source, "i"));

/**
 * Reads the error of a model server, with its HTTP status.
 * @returns undefined if the error has another reason than the length of the request.
 */
export function contextErrorOf(
  status: number | undefined,
  error: { readonly [field: string]: unknown },
): ContextError | undefined {
  const { code, type, message, n_ctx: context, n_prompt_tokens: request } = error;
  const isNamed = [code, type].some((name) => typeof name === "string" && CODES.has(name));
  const text = typeof message === "string" ? message : "";
  // Early versions of llama-server answer 500. An error within a stream has no status.
  const isWorded = (status === undefined || status === 400 || status === 413) && WORDS.test(text);
  if (!isNamed && !isWorded) return undefined;
  return {
    contextTokens: tokensOf(context) ?? numberIn(text, SIZES),
    requestTokens: tokensOf(request) ?? numberIn(text, REQUEST_SIZES),
  };
}

/** Returns a positive whole number, undefined for any other value. */
export function tokensOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;
}

function numberIn(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return tokensOf(Number(found.replaceAll(/[,_]/g, "")));
  }
  return undefined;
}
