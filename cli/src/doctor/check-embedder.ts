import { systemClock } from "@membus/protocol";
import { composeEmbedder } from "../compose-embedder.js";
import type { Config } from "../config/config-schema.js";
import { createLogger } from "../logger.js";
import type { Finding } from "./run-checks.js";

/** Whether the embedder answers with a vector of its dimensions. */
export async function checkEmbedder(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const embedder = composeEmbedder(config, env, { clock: systemClock, logger: createLogger("silent") });
  if (embedder === undefined) {
    return [{ check: "embedder", state: "warning", found: "none: entries are found by words alone" }];
  }
  const [vector] = await embedder.embed(["the sun rises in the east"], "document");
  if (vector?.length === embedder.dimensions) return [{ check: "embedder", state: "ok", found: embedder.id }];
  return [
    { check: "embedder", state: "problem", found: `${embedder.id} gave no vector of ${embedder.dimensions}` },
  ];
}
