import { type Clock, systemClock } from "@membus/protocol";
import { createOpenAiEmbedder } from "../src/openai/openai-embedder.js";
import type { OpenAiEmbedderOptions } from "../src/openai/openai-options.js";
import { startProvider } from "./provider-fixture.js";
import type { Answer } from "./provider-server.js";

/** Starts an embedder of three components and its real server. The server ends with the test. */
export async function startOpenAi(
  answer: Answer,
  options: Partial<OpenAiEmbedderOptions> = {},
  clock: Clock = systemClock,
) {
  const { server, logger } = await startProvider(answer);
  const embedder = createOpenAiEmbedder(
    { baseURL: server.baseURL, model: "m", dimensions: 3, ...options },
    { clock, logger },
  );
  return { server, embedder, logger };
}
