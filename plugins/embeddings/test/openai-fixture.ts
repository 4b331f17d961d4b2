import { type Clock, systemClock } from "@membus/protocol";
import { startProvider } from "../../../openai-client/test/provider-fixture.js";
import type { Answer } from "../../../openai-client/test/provider-server.js";
import { createOpenAiEmbedder } from "../src/openai/openai-embedder.js";
import type { OpenAiEmbedderOptions } from "../src/openai/openai-options.js";

/** Starts an embedder of three components and its real server. The server ends with the test. */
export async function startOpenAi(
  answer: Answer,
  options: Partial<OpenAiEmbedderOptions> = {},
  clock: Clock = systemClock,
) {
  const { server, logger } = await startProvider(answer);
  const embedder = createOpenAiEmbedder(
    { baseUrl: server.baseUrl, model: "m", dimensions: 3, ...options },
    { clock, logger },
  );
  return { server, embedder, logger };
}
