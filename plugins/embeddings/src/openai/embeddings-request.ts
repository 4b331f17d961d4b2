import type { Clock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { OpenAI } from "openai";
import { createGuardedFetch } from "../http/guarded-fetch.js";
import { vectorsOfReply } from "./embedding-reply.js";
import type { ResolvedOpenAiEmbedderOptions } from "./openai-options.js";
import { providerFailure } from "./provider-failure.js";

export interface OpenAiEmbedderDependencies {
  /** Used for `Retry-After` dates. */
  readonly clock: Clock;
  /** Receives a line per attempt, at level debug, without texts or the API key. */
  readonly logger: Logger;
}

/** Embeds one batch of texts, with the configured retries. Rejects with `MemoryError`. */
export type EmbeddingsRequest = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<(Float32Array | null)[]>;

export function createEmbeddingsRequest(
  options: ResolvedOpenAiEmbedderOptions,
  { clock, logger }: OpenAiEmbedderDependencies,
): EmbeddingsRequest {
  const client = createClient(options, clock, logger);
  const { model, dimensions, requestDimensions } = options;
  return async (texts, signal) => {
    const body = { model, input: [...texts], encoding_format: "float" as const };
    try {
      const reply = await client.embeddings.create(requestDimensions ? { ...body, dimensions } : body, {
        signal,
      });
      return vectorsOfReply(reply, texts.length, dimensions);
    } catch (error) {
      throw providerFailure(error, clock);
    }
  };
}

/**
 * Creates the client. Values from the environment have no effect, because they end up in headers, which the
 * guarded fetch drops.
 */
function createClient(options: ResolvedOpenAiEmbedderOptions, clock: Clock, logger: Logger): OpenAI {
  return new OpenAI({
    baseURL: options.baseURL,
    // The package requires a key. The header below takes precedence.
    apiKey: options.apiKey || "none",
    defaultHeaders: { Authorization: options.apiKey === "" ? null : `Bearer ${options.apiKey}` },
    timeout: options.timeoutMs,
    maxRetries: options.maxRetries,
    fetch: createGuardedFetch(options, clock),
    logger: attemptLogger(logger),
    // At level debug the package logs texts.
    logLevel: "info",
  });
}

function attemptLogger(logger: Logger): NonNullable<ConstructorParameters<typeof OpenAI>[0]>["logger"] {
  const log = (message: string) => logger.debug({ component: "embedder" }, message);
  return { error: log, warn: log, info: log, debug: () => {} };
}
