import { type Embedder, type MemoryError, systemClock } from "@membus/protocol";
import { composeEmbedder } from "../compose/compose-embedder.js";
import type { Config } from "../config/config-schema.js";
import { createLogger } from "../logger.js";
import type { Finding } from "./check-node.js";
import { providerProblem } from "./provider-problem.js";

/** Whether the embedder answers with a vector of its dimensions. */
export async function checkEmbedder(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    const embedder = await composeEmbedder(config, env, {
      clock: systemClock,
      logger: createLogger("silent"),
    });
    if (embedder !== undefined) return [await tryEmbedder(embedder)];
    return [{ check: "embedder", state: "warning", found: "none: entries are found by words alone" }];
  } catch (error) {
    return [providerProblem("embedder", error, (memoryError) => adviceFor(memoryError, config))];
  }
}

async function tryEmbedder(embedder: Embedder): Promise<Finding> {
  const [vector] = await embedder.embed(["the sun rises in the east"], "document");
  if (vector?.length === embedder.dimensions) return { check: "embedder", state: "ok", found: embedder.id };
  const found = `${embedder.id} gave no vector of ${embedder.dimensions}`;
  return { check: "embedder", state: "problem", found };
}

function adviceFor({ code, detail }: MemoryError, { embedder }: Config): string {
  if (embedder.provider === "transformers") return "check that the folder is a model for feature extraction";
  if (code === "unauthorized") {
    return `put a valid key into the environment variable ${embedder.api_key_env ?? "OPENAI_API_KEY"}`;
  }
  if (detail.expected !== undefined && detail.got !== undefined) {
    return `set \`embedder.dimensions\` to what the model gives: ${detail.got}`;
  }
  if (code === "unavailable")
    return "start the provider, or wait; check `embedder.base_url` and `timeout_ms`";
  return "check `embedder.base_url` (up to /embeddings) and `embedder.model`";
}
