import { type MemoryError, systemClock } from "@membus/protocol";
import { composeReranker } from "../compose/compose-reranker.js";
import type { Config } from "../config/config-schema.js";
import { createLogger } from "../logger.js";
import type { Finding } from "./check-node.js";
import { providerProblem } from "./provider-problem.js";

const QUERY = "When does the sun rise?";
const ANSWER = "the sun rises at six";
const UNRELATED = "an invoice is due on Friday";

/** Whether the reranker, where there is one, answers, and finds an answer better than what has nothing to do with it. */
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
    const found = `${reranker.id} scores an answer ${good.toFixed(2)}, what is unrelated ${bad.toFixed(2)}`;
    return [{ check, state: "warning", found, advice: "check that `reranker.model` is a reranking model" }];
  } catch (error) {
    return [providerProblem("reranker", error, adviceFor)];
  }
}

function adviceFor({ detail, message }: MemoryError): string {
  if (detail.status === 401 || detail.status === 403) {
    return "put a valid key into an environment variable, and its name into `reranker.api_key_env`";
  }
  if (detail.status === 404) return "check `reranker.base_url`: /rerank is put behind it";
  if (message.includes("scores: logits")) return "set `reranker.scores` to logits";
  return "start the provider, or wait; check `reranker.base_url` and `timeout_ms`. Until then nothing is reranked";
}
