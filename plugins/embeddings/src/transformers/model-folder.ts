import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "@membus/protocol";
import { replyField } from "../reply-field.js";
import { MODEL_FILES, type ModelDtype } from "./transformers-options.js";

export interface ModelFolder {
  /** Number of components of the model's vectors. */
  readonly dimensions: number;
  /**
   * Digest of all files that the vectors depend on, so that other weights in the same place give another
   * model id.
   */
  readonly sha256: string;
}

/** Field names for the number of components in model configurations. */
const DIMENSION_FIELDS = ["hidden_size", "dim", "d_model", "n_embd"];

/** @throws {TypeError} If the folder has no usable model. The message names the missing or invalid file. */
export async function readModelFolder(folder: string, dtype: ModelDtype): Promise<ModelFolder> {
  const config = await readOrRefuse(folder, "config.json", dtype);
  const dimensions = dimensionsOf(config);
  if (dimensions === undefined) {
    throw new TypeError(
      `${join(folder, "config.json")} does not contain the number of vector components (${DIMENSION_FIELDS.join(", ")})`,
    );
  }
  const hash = createHash("sha256").update(config);
  for (const name of ["tokenizer.json", "tokenizer_config.json"]) {
    hash.update(await readOrRefuse(folder, name, dtype));
  }
  for (const name of await weightFiles(folder, dtype)) {
    for await (const chunk of createReadStream(join(folder, "onnx", name))) hash.update(chunk as Buffer);
  }
  return { dimensions, sha256: hash.digest("hex") };
}

/** Returns the model's file, and the files next to it with the rest of its weights. */
async function weightFiles(folder: string, dtype: ModelDtype): Promise<string[]> {
  const main = MODEL_FILES[dtype];
  const names = await readdir(join(folder, "onnx")).catch((): string[] => []);
  if (!names.includes(main)) throw absentFile(folder, join("onnx", main), dtype);
  return names.filter((name) => name.startsWith(main)).sort();
}

async function readOrRefuse(folder: string, name: string, dtype: ModelDtype): Promise<Buffer> {
  try {
    return await readFile(join(folder, name));
  } catch {
    throw absentFile(folder, name, dtype);
  }
}

function absentFile(folder: string, name: string, dtype: ModelDtype): TypeError {
  return new TypeError(
    `cannot read ${join(folder, name)}: embedder transformers needs a folder with config.json, tokenizer.json, ` +
      `tokenizer_config.json and, for dtype ${dtype}, onnx/${MODEL_FILES[dtype]}; it downloads nothing`,
  );
}

function dimensionsOf(config: Buffer): number | undefined {
  const fields = parseOrNothing(config);
  return DIMENSION_FIELDS.map((name) => replyField(fields, name)).find(isDimensions);
}

function isDimensions(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LIMITS.embeddingDimensions;
}

function parseOrNothing(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString());
  } catch {
    return undefined;
  }
}
