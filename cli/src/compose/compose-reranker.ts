import { createHttpReranker, type HttpRerankerOptions } from "@membus/embeddings";
import type { Clock } from "@membus/protocol";
import type { Logger, Reranker } from "@membus/protocol/plugin";
import type { Config } from "../config/config-schema.js";
import { apiKeyOf, optionsOfSection, type SettingNames, withSettingNames } from "./provider-settings.js";

const RERANKER: SettingNames = {
  ...{ base_url: "baseUrl", model: "model", api_key_env: "apiKey", scores: "scores" },
  ...{ timeout_ms: "timeoutMs", concurrency: "concurrencyMax" },
  ...{ text_count_max: "textCountMax", text_bytes_max: "textBytesMax", request_bytes_max: "requestBytesMax" },
};

/**
 * Returns the configured reranker, or undefined if none is configured.
 * @throws {TypeError} naming an invalid setting.
 */
export async function composeReranker(
  { reranker: settings }: Config,
  env: NodeJS.ProcessEnv,
  dependencies: { readonly clock: Clock; readonly logger: Logger },
): Promise<Reranker | undefined> {
  if (settings === undefined) return undefined;
  return withSettingNames("reranker", RERANKER, () => {
    const { apiKey: variable, ...options } = optionsOfSection("reranker", settings, RERANKER);
    const key = apiKeyOf("reranker", variable as string | undefined, env);
    return createHttpReranker({ ...options, ...key } as unknown as HttpRerankerOptions, dependencies);
  });
}
