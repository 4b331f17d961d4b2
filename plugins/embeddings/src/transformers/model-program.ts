/** Program for a separate process with a channel to its parent. Runs a model from a local folder. */
import { basename, dirname } from "node:path";

/** First message to the program. Lists of texts follow. */
export interface ModelTask {
  /** Package that runs models: its name, or the URL of a module. */
  readonly package: string;
  /** Absolute path of the model's folder. */
  readonly model: string;
  readonly dtype: string;
  readonly pooling: string;
  readonly tokenCountMax: number;
}

/** Messages of the program: first that it has the package, then one answer per list of texts. */
export type ModelAnswer =
  | { readonly kind: "package" }
  | { readonly kind: "vectors"; readonly components: Float32Array; readonly shape: readonly number[] }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };

/** Used part of the package. */
interface TransformersPackage {
  readonly env: { allowRemoteModels: boolean; localModelPath: string };
  pipeline(task: string, model: string, options: object): Promise<FeatureExtraction>;
}

interface FeatureExtraction {
  (
    texts: string[],
    options: object,
  ): Promise<{ readonly data: Float32Array; readonly dims: readonly number[] }>;
  readonly tokenizer: { readonly model_max_length?: number };
  readonly model: { readonly config: { readonly max_position_embeddings?: number } };
}

async function importPackage(task: ModelTask): Promise<TransformersPackage | undefined> {
  try {
    const transformers = (await import(task.package)) as TransformersPackage;
    transformers.env.allowRemoteModels = false;
    transformers.env.localModelPath = `${dirname(task.model)}/`;
    return transformers;
  } catch (error) {
    answer(failure(error));
    return undefined;
  }
}

async function loadModel(transformers: TransformersPackage, task: ModelTask): Promise<FeatureExtraction> {
  const options = { dtype: task.dtype, device: "cpu", local_files_only: true };
  const extract = await transformers.pipeline("feature-extraction", basename(task.model), options);
  const bounds = [extract.tokenizer.model_max_length, extract.model.config.max_position_embeddings];
  const known = bounds.filter((bound) => typeof bound === "number" && bound > 0) as number[];
  // Longer texts are cut to the model's own limit, which some tokenizers do not give, or to `tokenCountMax`.
  const value = Math.min(task.tokenCountMax, ...known);
  // In some versions of the package it is a getter.
  Object.defineProperty(extract.tokenizer, "model_max_length", { value });
  return extract;
}

async function vectorsOf(extract: FeatureExtraction, texts: string[], pooling: string): Promise<ModelAnswer> {
  const { data, dims } = await extract(texts, { pooling, normalize: false });
  return { kind: "vectors", components: Float32Array.from(data), shape: [...dims] };
}

function failure(error: unknown): ModelAnswer {
  const { code = "", message = String(error) } = error as { code?: string; message?: string };
  return { kind: "failed", code, message };
}

function answer(message: ModelAnswer): void {
  process.send!(message);
}

async function run(task: ModelTask): Promise<void> {
  const transformers = await importPackage(task);
  if (transformers === undefined) return;
  const loading = loadModel(transformers, task);
  // The first texts report the failure.
  loading.catch(() => {});
  process.on("message", async (texts: string[]) => {
    try {
      answer(await vectorsOf(await loading, texts, task.pooling));
    } catch (error) {
      answer(failure(error));
      // Without a model the program exits. The next process may find the model.
      loading.catch(() => process.disconnect());
    }
  });
  answer({ kind: "package" });
}

// The process runs as long as its parent, which may still need it when the terminal interrupts both.
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit());
process.once("message", (task: ModelTask) => void run(task));
