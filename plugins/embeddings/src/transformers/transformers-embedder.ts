import { basename, resolve } from "node:path";
import { abortable, MemoryError, parseOptions } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import pLimit from "p-limit";
import { prefixOf, shortDigest } from "../prefix.js";
import { toUnitVector } from "../unit-vector.js";
import { readModelFolder } from "./model-folder.js";
import { ModelProcess } from "./model-process.js";
import {
  type ResolvedTransformersEmbedderOptions,
  type TransformersEmbedderOptions,
  TransformersEmbedderOptionsSchema,
} from "./transformers-options.js";

export interface TransformersRuntime {
  /**
   * Package that runs the model: a name that Node resolves from here, or the URL of a module with the same
   * exports. Default: `@huggingface/transformers`, an optional peer dependency.
   */
  readonly package?: string;
  /** Node arguments of the model's process. Default: the arguments of this process. */
  readonly nodeArguments?: readonly string[];
}

/** Maximum characters of a text that are processed: more than `tokenCountMax` tokens. */
const TEXT_LENGTH_MAX = 64 * 1024;

/**
 * Creates an embedder that runs a model from a local folder in a separate process. Uses the package
 * `@huggingface/transformers`, which must be installed. Never uses the network. Only the beginning of a long
 * text is used. A blank text has no vector.
 *
 * Reads the model's files for a digest in the id, and starts to load the model. `embed` waits for the model
 * and rejects with `unavailable` if it cannot be loaded or fails. The next call tries again. An aborted call
 * rejects immediately with the signal's reason, although a running computation continues.
 * @throws {TypeError} For a missing or unknown option, or a value out of range. Also if the package is not
 * installed, or if the folder has no such model.
 */
export async function createTransformersEmbedder(
  input: TransformersEmbedderOptions,
  runtime: TransformersRuntime = {},
): Promise<Embedder> {
  const options = parseOptions(TransformersEmbedderOptionsSchema, input);
  const { dtype, pooling, tokenCountMax } = options;
  const model = resolve(options.model);
  const folder = await readModelFolder(model, dtype);
  const dimensions = checkedDimensions(options.dimensions, folder.dimensions);
  const task = {
    package: runtime.package ?? "@huggingface/transformers",
    ...{ model, dtype, pooling, tokenCountMax },
  };
  const start = () => ModelProcess.start(task, runtime.nodeArguments ?? process.execArgv);
  let running = await start();
  const turn = pLimit(1);
  const embedBatch = (texts: readonly string[], signal: AbortSignal) =>
    turn(async () => {
      signal.throwIfAborted();
      if (running.hasEnded) running = await start();
      return running.embed(texts, folder.dimensions);
    });
  return Object.freeze<Embedder>({
    id: embedderId(options, basename(model), dimensions, folder.sha256),
    dimensions,
    async embed(texts, kind, { signal = new AbortController().signal } = {}) {
      signal.throwIfAborted();
      const vectors = new Array<Float32Array | null>(texts.length).fill(null);
      for (const indexes of batchesOf(texts, options.batchSize)) {
        const prompts = indexes.map((index) => promptOf(texts[index]!, prefixOf(kind, options)));
        const components = await abortable(embedBatch(prompts, signal), signal);
        for (const [row, index] of indexes.entries()) {
          vectors[index] = vectorAt(components, row * folder.dimensions, dimensions);
        }
      }
      return vectors;
    },
  });
}

/**
 * Returns batches of indexes of the non-blank texts, shortest first, because every text in a batch takes as
 * long as the longest.
 */
function batchesOf(texts: readonly string[], batchSize: number): number[][] {
  const indexes = [...texts.keys()].filter((index) => texts[index]!.trim() !== "");
  indexes.sort((a, b) => texts[a]!.length - texts[b]!.length);
  const batches: number[][] = [];
  for (let from = 0; from < indexes.length; from += batchSize)
    batches.push(indexes.slice(from, from + batchSize));
  return batches;
}

function promptOf(text: string, prefix: string): string {
  return (prefix + text).slice(0, TEXT_LENGTH_MAX).toWellFormed();
}

function vectorAt(components: Float32Array, from: number, dimensions: number): Float32Array | null {
  const vector = components.slice(from, from + dimensions);
  if (vector.every(Number.isFinite)) return toUnitVector(vector);
  throw new MemoryError("schema_violation", "the model returned a component that is not a finite number");
}

function checkedDimensions(requested: number, available: number): number {
  if (requested <= available) return requested || available;
  throw new TypeError(`dimensions must be at most the model's ${available}, got ${requested}`);
}

/** Returns the embedder id. Its digest covers the weights and everything else that changes vectors. */
function embedderId(
  { dtype, pooling, queryPrefix, documentPrefix, tokenCountMax }: ResolvedTransformersEmbedderOptions,
  name: string,
  dimensions: number,
  sha256: string,
): string {
  const digest = shortDigest([sha256, dtype, pooling, queryPrefix, documentPrefix, tokenCountMax]);
  return `transformers/${name}/${dimensions}/${digest}`;
}
