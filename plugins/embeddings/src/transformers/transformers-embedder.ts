import { basename, resolve } from "node:path";
import { type Embedder, MemoryError, untilAborted } from "@membus/protocol";
import { prefixOf, shortDigest } from "../prefix.js";
import { TaskLimit } from "../task-limit.js";
import { toUnitVector } from "../unit-vector.js";
import { readModelFolder } from "./model-folder.js";
import { ModelProcess } from "./model-process.js";
import {
  type ResolvedTransformersEmbedderOptions,
  resolveTransformersEmbedderOptions,
  type TransformersEmbedderOptions,
} from "./transformers-options.js";

export interface TransformersRuntime {
  /**
   * The package that runs the model: a name that Node finds from here, or the URL of a module with the same exports.
   * Default: `@huggingface/transformers`, an optional peer of this package.
   */
  readonly package?: string;
  /** Arguments of Node for the process of the model. Default: those of this process. */
  readonly nodeArguments?: readonly string[];
}

/** Characters of a text that are looked at: more than the tokens that count. */
const TEXT_LENGTH_MAX = 64 * 1024;

/**
 * An embedder that runs a model from a local folder in a process of its own, by the package `@huggingface/transformers`,
 * which must be installed beside this one. It never asks the network. A long text counts by its beginning, a blank
 * one has no vector.
 *
 * Reads the model's files for the id, which holds a digest of them, and begins to load it. `embed` waits until it is
 * loaded and rejects with `unavailable` when it cannot be, or fails; the next call tries again. An aborted call rejects
 * at once with the signal's reason; what is in the model then is computed to its end.
 * @throws {TypeError} for a missing or unknown option or a value out of range, when the package is not installed, or
 * when the folder holds no such model.
 */
export async function createTransformersEmbedder(
  input: TransformersEmbedderOptions,
  runtime: TransformersRuntime = {},
): Promise<Embedder> {
  const options = resolveTransformersEmbedderOptions(input);
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
  const turn = new TaskLimit(1);
  const embedBatch = (texts: readonly string[], signal: AbortSignal) =>
    turn.run(async () => {
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
      for (const places of batchesOf(texts, options.batchSize)) {
        const prompts = places.map((place) => promptOf(texts[place]!, prefixOf(kind, options)));
        const components = await untilAborted(embedBatch(prompts, signal), signal);
        for (const [row, place] of places.entries()) {
          vectors[place] = vectorAt(components, row * folder.dimensions, dimensions);
        }
      }
      return vectors;
    },
  });
}

/** The places of the texts that are not blank, the shortest first: in a batch all take as long as the longest. */
function batchesOf(texts: readonly string[], batchSize: number): number[][] {
  const places = [...texts.keys()].filter((place) => texts[place]!.trim() !== "");
  places.sort((a, b) => texts[a]!.length - texts[b]!.length);
  const batches: number[][] = [];
  for (let from = 0; from < places.length; from += batchSize)
    batches.push(places.slice(from, from + batchSize));
  return batches;
}

function promptOf(text: string, prefix: string): string {
  return (prefix + text).slice(0, TEXT_LENGTH_MAX).toWellFormed();
}

function vectorAt(components: Float32Array, from: number, dimensions: number): Float32Array | null {
  const vector = components.slice(from, from + dimensions);
  if (vector.every(Number.isFinite)) return toUnitVector(vector);
  throw new MemoryError("schema_violation", "the model gave a component that is no finite number");
}

function checkedDimensions(asked: number, available: number): number {
  if (asked <= available) return asked || available;
  throw new TypeError(`dimensions must be at most the model's ${available}, got ${asked}`);
}

/** A digest stands for the weights and for everything else that changes vectors. */
function embedderId(
  { dtype, pooling, queryPrefix, documentPrefix, tokenCountMax }: ResolvedTransformersEmbedderOptions,
  name: string,
  dimensions: number,
  sha256: string,
): string {
  const digest = shortDigest([sha256, dtype, pooling, queryPrefix, documentPrefix, tokenCountMax]);
  return `transformers/${name}/${dimensions}/${digest}`;
}
