/**
 * Replaces the package `@huggingface/transformers` without a model. It has the same exports. The components
 * of a text are its length, 1, the number of texts in its batch, and the maximum number of tokens.
 */
import { existsSync } from "node:fs";

export const env = { allowRemoteModels: true, localModelPath: "" };

interface Tensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

const tokenizer = {
  get model_max_length(): number {
    return 1e30;
  },
};

async function extract(texts: string[], options: { pooling: string; normalize: boolean }): Promise<Tensor> {
  if (options.pooling !== "mean" || options.normalize) throw new Error("other options than expected");
  if (texts.includes("fail")) throw new Error("the model does not like this text");
  if (texts.includes("crash")) process.exit(3);
  const rows = texts.flatMap((text) => [
    text.includes("NaN") ? Number.NaN : text.length,
    1,
    texts.length,
    tokenizer.model_max_length,
  ]);
  return texts.includes("misshapen")
    ? { data: Float32Array.of(1), dims: [1, 1] }
    : { data: Float32Array.from(rows), dims: [texts.length, 4] };
}

export async function pipeline(task: string, model: string, options: { local_files_only: boolean }) {
  if (env.allowRemoteModels || !options.local_files_only) throw new Error("would ask the network");
  if (task !== "feature-extraction") throw new Error(`unexpected task ${task}`);
  if (existsSync(`${env.localModelPath}${model}/broken`)) throw new Error("the model is broken");
  return Object.assign(extract, { tokenizer, model: { config: { max_position_embeddings: 64 } } });
}
