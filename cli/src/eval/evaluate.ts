import { randomBytes } from "node:crypto";
import type { MemoryClient } from "@membus/agent-client";
import { type Clock, MemoryError } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { withClient } from "../session.js";
import { untilSignalled } from "../until-signalled.js";
import type { EvaluationOptions } from "./evaluation-options.js";
import type { EvaluationSet } from "./evaluation-set.js";
import { type Evaluation, type EvaluationServices, runEvaluation } from "./run-evaluation.js";
import { withTemporaryHost } from "./temporary-host.js";

/** Long enough for an embedder that is called over the network. */
const RETRY_TIMEOUT_MS = 60_000;

export interface EvaluateServices {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  onStep(message: string): void;
  readonly onProgress: EvaluationServices["onProgress"];
}

/**
 * Runs an evaluation on the configured host, or on a temporary one if no server is configured. On an existing
 * host, the documents are stored below `<namespace>/eval-<random>` and forgotten afterwards, even after a
 * signal.
 */
export async function evaluate(
  set: EvaluationSet,
  options: EvaluationOptions,
  config: Config,
  services: EvaluateServices,
): Promise<Evaluation> {
  const ending = new AbortController();
  void untilSignalled().then(() => ending.abort(new MemoryError("unavailable", "interrupted")));
  const namespace = `${config.namespace}/eval-${randomBytes(6).toString("hex")}`;
  const run = (memory: MemoryClient) =>
    runEvaluation(set, options, { ...services, memory, namespace, signal: ending.signal });
  if (config.nats.url === undefined) {
    return withTemporaryHost(config, services, (own) => withClient(own, run, RETRY_TIMEOUT_MS));
  }
  const runAndForget = async (memory: MemoryClient) => {
    try {
      return await run(memory);
    } finally {
      // Requests sent earlier are processed earlier, so nothing remains.
      await memory.forget({ namespace: `${namespace}/**`, tier: options.tier, all: true });
    }
  };
  return withClient(config, runAndForget, RETRY_TIMEOUT_MS);
}
