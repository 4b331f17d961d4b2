import { type MemoryError, systemClock } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import { composeEmbedder } from "../compose/compose-embedder.js";
import type { Config } from "../config/config-schema.js";
import { createLogger } from "../logger.js";
import type { Finding } from "./check-node.js";
import { providerFinding } from "./provider-problem.js";

/** Checks whether the embedder returns a vector with the expected dimensions. */
export async function checkEmbedder(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    const embedder = await composeEmbedder(config, env, {
      clock: systemClock,
      logger: createLogger("silent"),
    });
    if (embedder !== undefined) return [await tryEmbedder(embedder)];
    return [{ check: "embedder", state: "warning", found: "none: retrieval uses full-text search only" }];
  } catch (error) {
    return [providerFinding("embedder", error, (memoryError) => adviceFor(memoryError, config))];
  }
}

async function tryEmbedder(embedder: Embedder): Promise<Finding> {
  const [vector] = await embedder.embed(["the sun rises in the east"], "document");
  if (vector?.length === embedder.dimensions) return { check: "embedder", state: "ok", found: embedder.id };
  const found = `${embedder.id} did not return a vector with ${embedder.dimensions} dimensions`;
  return { check: "embedder", state: "problem", found };
}

function adviceFor({ code, detail }: MemoryError, { embedder }: Config): string {
  if (embedder.provider === "transformers")
    return "check that the folder contains a feature-extraction model";
  if (code === "unauthorized") {
    return `set the environment variable ${embedder.api_key_env ?? "OPENAI_API_KEY"} to a valid key`;
  }
  if (detail.expected !== undefined && detail.got !== undefined) {
    return `set \`embedder.dimensions\` to ${detail.got}, the dimensions of the model`;
  }
  if (code === "unavailable")
    return "start the provider or try again later, and check `embedder.base_url` and `timeout_ms`";
  return "check `embedder.base_url` (without /embeddings) and `embedder.model`";
}
