import { LIMITS, type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { prefixOptions } from "../prefix.js";

/** File names in `onnx/` by number format. */
export const MODEL_FILES = Object.freeze({
  fp32: "model.onnx",
  fp16: "model_fp16.onnx",
  q8: "model_quantized.onnx",
  int8: "model_int8.onnx",
  uint8: "model_uint8.onnx",
  q4: "model_q4.onnx",
});

export type ModelDtype = keyof typeof MODEL_FILES;
const MODEL_DTYPES = Object.keys(MODEL_FILES) as ModelDtype[];

export const TransformersEmbedderOptionsSchema = optionSet({
  ...prefixOptions,
  /**
   * Folder of the model with `config.json`, `tokenizer.json`, `tokenizer_config.json` and `onnx/`. Nothing is
   * downloaded.
   */
  model: option.text(),
  /** Number of vector components: the first components of the model's vectors. 0: all. */
  dimensions: option.integer(0, LIMITS.embeddingDimensions).default(0),
  /**
   * Number format that selects the model file: fp32 is `onnx/model.onnx`, q8 `onnx/model_quantized.onnx`, and
   * others `onnx/model_<dtype>.onnx`.
   */
  dtype: option.choice(...MODEL_DTYPES).default("fp32"),
  /** Method that combines the token vectors of a text into one vector. */
  pooling: option.choice("mean", "cls", "last_token").default("mean"),
  /**
   * Maximum tokens of a text including its prefix, limited by the model's own maximum. The rest of the text
   * is ignored.
   */
  tokenCountMax: option.integer(8, 8_192).default(512),
  /** Number of texts per model run. */
  batchSize: option.integer(1, 256).default(8),
});

/** `model` is required. */
export interface TransformersEmbedderOptions extends OptionsOf<typeof TransformersEmbedderOptionsSchema> {}
export interface ResolvedTransformersEmbedderOptions
  extends ResolvedOptionsOf<typeof TransformersEmbedderOptionsSchema> {}
