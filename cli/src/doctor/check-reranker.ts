import { type MemoryError, systemClock } from "@membus/protocol";
import { composeReranker } from "../compose/compose-reranker.js";
import type { Config } from "../config/config-schema.js";
import { createLogger } from "../logger.js";
import type { Finding } from "./check-node.js";
import { providerFinding } from "./provider-problem.js";

const QUERY = "When does the sun rise?";
const ANSWER = "the sun rises at six";
const UNRELATED = "an invoice is due on Friday";

/**
 * Checks whether the configured reranker responds, and scores a relevant text higher than an unrelated one.
 */
export async function checkReranker(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    const reranker = await composeReranker(config, env, {
      clock: systemClock,
      logger: createLogger("silent"),
    });
    if (reranker === undefined) return [];
    const [good = 0, bad = 0] = await reranker.rerank(QUERY, [ANSWER, UNRELATED]);
    const check = "reranker";
    if (good > bad) return [{ check, state: "ok", found: reranker.id }];
    const found = `${reranker.id} scores a relevant text ${good.toFixed(2)} and an unrelated text ${bad.toFixed(2)}`;
    return [{ check, state: "warning", found, advice: "check that `reranker.model` is a reranking model" }];
  } catch (error) {
    return [providerFinding("reranker", error, adviceFor)];
  }
}

function adviceFor({ detail, message }: MemoryError): string {
  if (detail.status === 401 || detail.status === 403) {
    return "put a valid key into an environment variable, and set `reranker.api_key_env` to its name";
  }
  if (detail.status === 404) return "check `reranker.base_url`: /rerank is appended to it";
  if (message.includes("scores: logits")) return "set `reranker.scores` to logits";
  return "start the provider or try again later, and check `reranker.base_url` and `timeout_ms`. Until then, results are not reranked";
}
