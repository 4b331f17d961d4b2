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
import type { Clock, Embedder, Logger } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { apiKeyOf, inSettings, optionsOfSection, type SettingNames } from "./provider-settings.js";

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
    base_url: "baseURL",
    model: "model",
    dimensions: "dimensions",
    request_dimensions: "requestDimensions",
  },
  ...{ query_prefix: "queryPrefix", document_prefix: "documentPrefix", api_key_env: "apiKey" },
  ...{ timeout_ms: "timeoutMs", max_retries: "maxRetries", batch_size: "batchSize" },
  ...{ concurrency: "concurrencyMax", text_bytes_max: "textBytesMax" },
};

/**
 * The embedder that the settings name; undefined for none.
 * @throws {TypeError} naming the setting that is missing, wrong or not this provider's, or what is not installed.
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
      return inSettings(section, STATIC, () => staticEmbedder(options, dependencies));
    }
    case "transformers": {
      const options = optionsOfSection(
        section,
        settings,
        TRANSFORMERS,
      ) as unknown as TransformersEmbedderOptions;
      return inSettings(section, TRANSFORMERS, async () =>
        withUnrelatedCosine(await createTransformersEmbedder(options), dependencies),
      );
    }
    case "openai":
      return inSettings(section, OPENAI, () => openAiEmbedder(section, settings, env, dependencies));
  }
}

/** By then most hosts have started, which reading would make slower; the first query is not to wait for it either. */
const TABLE_WAIT_MS = 1_000;

/** Relevance is made for its usual vectors: nothing is to be measured of them. */
function staticEmbedder(options: StaticEmbedderOptions, dependencies: Dependencies): Embedder {
  const embedder = createStaticEmbedder(options);
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
