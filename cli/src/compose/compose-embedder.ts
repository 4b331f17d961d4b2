import {
  createOpenAiEmbedder,
  createStaticEmbedder,
  createTransformersEmbedder,
  type OpenAiEmbedderOptions,
  STATIC_EMBEDDER_DEFAULTS,
  type StaticEmbedderOptions,
  type TransformersEmbedderOptions,
  withUnrelatedCosine,
} from "@membus/embeddings";
import { isOtherLanguage } from "@membus/languages";
import type { Clock } from "@membus/protocol";
import type { Embedder, Logger } from "@membus/protocol/plugin";
import type { Config } from "../config/config-schema.js";
import { apiKeyOf, optionsOfSection, type SettingNames, withSettingNames } from "./provider-settings.js";

interface Dependencies {
  readonly clock: Clock;
  readonly logger: Logger;
}

const STATIC: SettingNames = { dimensions: "dimensions" };

const TRANSFORMERS: SettingNames = {
  ...{ model: "model", dimensions: "dimensions", dtype: "dtype", pooling: "pooling" },
  ...{ query_prefix: "queryPrefix", document_prefix: "documentPrefix" },
  ...{ token_count_max: "tokenCountMax", batch_size: "batchSize" },
};

const OPENAI: SettingNames = {
  ...{
    base_url: "baseUrl",
    model: "model",
    dimensions: "dimensions",
    request_dimensions: "requestDimensions",
  },
  ...{ query_prefix: "queryPrefix", document_prefix: "documentPrefix", api_key_env: "apiKey" },
  ...{ timeout_ms: "timeoutMs", max_retries: "retryCountMax", batch_size: "batchSize" },
  ...{ concurrency: "concurrencyMax", text_bytes_max: "textBytesMax" },
};

/**
 * Returns the configured embedder, or undefined for `none`.
 * @throws {TypeError} naming a setting that is missing, invalid or not supported by the provider, or a
 * package that is not installed.
 */
export async function composeEmbedder(
  { embedder: { provider, ...settings } }: Config,
  env: NodeJS.ProcessEnv,
  dependencies: Dependencies,
): Promise<Embedder | undefined> {
  const section = `embedder ${provider}`;
  switch (provider) {
    case "none":
      optionsOfSection(section, settings, {});
      return undefined;
    case "static": {
      const options = optionsOfSection(section, settings, STATIC);
      return withSettingNames(section, STATIC, () => staticEmbedder(options, dependencies));
    }
    case "transformers": {
      const options = optionsOfSection(
        section,
        settings,
        TRANSFORMERS,
      ) as unknown as TransformersEmbedderOptions;
      return withSettingNames(section, TRANSFORMERS, async () =>
        withUnrelatedCosine(await createTransformersEmbedder(options), dependencies),
      );
    }
    case "openai":
      return withSettingNames(section, OPENAI, () => openAiEmbedder(section, settings, env, dependencies));
  }
}

/**
 * Delay until the table is loaded. Most hosts have started by then, and the first query does not wait for it.
 */
const TABLE_WAIT_MS = 1_000;

/** Relevance is calibrated for the default dimensions, so nothing is measured for them. */
function staticEmbedder(options: StaticEmbedderOptions, dependencies: Dependencies): Embedder {
  const embedder = createStaticEmbedder(options, { isOtherLanguage });
  const isUsual = embedder.dimensions === STATIC_EMBEDDER_DEFAULTS.dimensions;
  const readTable = () => void embedder.embed(["memory"], "query").catch(() => undefined);
  dependencies.clock.after(TABLE_WAIT_MS, readTable, { background: true });
  return isUsual ? embedder : withUnrelatedCosine(embedder, dependencies);
}

function openAiEmbedder(
  section: string,
  settings: Omit<Config["embedder"], "provider">,
  env: NodeJS.ProcessEnv,
  dependencies: Dependencies,
): Embedder {
  const { apiKey: variable, ...options } = optionsOfSection(section, settings, OPENAI);
  const key = apiKeyOf(section, variable as string | undefined, env, "OPENAI_API_KEY");
  const embedder = createOpenAiEmbedder(
    { ...options, ...key } as unknown as OpenAiEmbedderOptions,
    dependencies,
  );
  return withUnrelatedCosine(embedder, dependencies);
}
