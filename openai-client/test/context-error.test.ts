import { expect, it } from "vitest";
import { contextErrorOf } from "../src/index.js";
import { providerErrorOf, startClient } from "./client-fixture.js";

it.each<[string, string, number | undefined, number?]>([
  [
    "OpenAI",
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    8192,
    9000,
  ],
  [
    "OpenAI's responses",
    "Your input exceeds the context window of this model. Please adjust your input.",
    undefined,
  ],
  [
    "llama-server",
    "request (9030 tokens) exceeds the available context size (8192 tokens), try increasing it",
    8192,
    9030,
  ],
  ["llama-cpp-python", "Requested tokens (2138) exceed context window of 2048", 2048, 2138],
  [
    "vLLM",
    "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, 6048 in the completion).",
    6048,
    568,
  ],
  [
    "vLLM, prompt",
    "The decoder prompt (length 35247) is longer than the maximum model length of 1000.",
    1000,
    35247,
  ],
  ["SGLang", "The input (9000 tokens) is longer than the model's context length (8192 tokens).", 8192, 9000],
  [
    "LM Studio",
    "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
    4096,
  ],
  ["Ollama", "prompt too long; exceeded max context length by 500 tokens", undefined],
  [
    "Mistral",
    "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    32768,
    40000,
  ],
  ["Anthropic", "prompt is too long: 210000 tokens > 200000 maximum", 200000, 210000],
  [
    "Gemini",
    "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
    1048576,
    1100000,
  ],
  ["a number with separators", "maximum context length is 131,072 tokens", 131072],
])(
  "reads the context size and the size of the request in the error of %s",
  (_, message, contextTokens, requestTokens) => {
    expect(contextErrorOf(400, { message })).toEqual({ contextTokens, requestTokens });
  },
);

it("reads the fields of llama-server, also with status 500", () => {
  const error = { type: "exceed_context_size_error", message: "too much", n_prompt_tokens: 1407, n_ctx: 256 };
  expect(contextErrorOf(500, error)).toEqual({ contextTokens: 256, requestTokens: 1407 });
});

it.each([
  [400, "no such field"],
  [400, "max_tokens must be at least 1"],
  [429, "You exceeded the maximum number of tokens (90000) per minute"],
  [500, "the context size is unknown"],
])("does not take %i %s for it", (status, message) => {
  expect(contextErrorOf(status, { message })).toBeUndefined();
});

it("is part of the client's error", async () => {
  const body = { error: { message: "exceeds the available context size", n_ctx: 4096 } };
  const { post } = await startClient(() => ({ status: 400, body }));
  expect((await providerErrorOf(post())).context).toEqual({ contextTokens: 4096 });
});
