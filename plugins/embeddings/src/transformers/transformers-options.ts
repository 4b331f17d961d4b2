import {
  choiceOption,
  integerOption,
  LIMITS,
  type ResolvedOptions,
  resolveOptions,
  stringOption,
} from "@membus/protocol";
import { prefixOption } from "../prefix.js";

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
export type ModelPooling = "mean" | "cls" | "last_token";

/** `model` is required. */
export interface TransformersEmbedderOptions {
  /**
   * Folder of the model with `config.json`, `tokenizer.json`, `tokenizer_config.json` and `onnx/`. Nothing is
   * downloaded.
   */
  readonly model: string;
  /**
   * Number of vector components, integer 0..4096: the first components of the model's vectors. 0: all.
   * @default 0
   */
  readonly dimensions?: number | undefined;
  /**
   * Number format that selects the model file: fp32 is `onnx/model.onnx`, q8 `onnx/model_quantized.onnx`, and
   * others `onnx/model_<dtype>.onnx`.
   * @default "fp32"
   */
  readonly dtype?: ModelDtype | undefined;
  /**
   * Method that combines the token vectors of a text into one vector.
   * @default "mean"
   */
  readonly pooling?: ModelPooling | undefined;
  /**
   * Prefix of every query, which some models require.
   * @default ""
   */
  readonly queryPrefix?: string | undefined;
  /**
   * Prefix of every document.
   * @default ""
   */
  readonly documentPrefix?: string | undefined;
  /**
   * Maximum tokens of a text including its prefix, integer 8..8192, limited by the model's own maximum. The
   * rest of the text is ignored.
   * @default 512
   */
  readonly tokenCountMax?: number | undefined;
  /**
   * Number of texts per model run, integer 1..256.
   * @default 8
   */
  readonly batchSize?: number | undefined;
}

export type ResolvedTransformersEmbedderOptions = ResolvedOptions<TransformersEmbedderOptions>;

export const TRANSFORMERS_EMBEDDER_DEFAULTS = Object.freeze({
  dimensions: 0,
  dtype: "fp32" as const,
  pooling: "mean" as const,
  queryPrefix: "",
  documentPrefix: "",
  tokenCountMax: 512,
  batchSize: 8,
});

/** @throws {TypeError} For a missing or unknown option, or a value out of range. */
export function resolveTransformersEmbedderOptions(
  input: TransformersEmbedderOptions,
): ResolvedTransformersEmbedderOptions {
  return resolveOptions<ResolvedTransformersEmbedderOptions>(
    input,
    { ...TRANSFORMERS_EMBEDDER_DEFAULTS, model: "" },
    {
      model: stringOption,
      dimensions: integerOption(0, LIMITS.embeddingDimensions),
      dtype: choiceOption(...Object.keys(MODEL_FILES)),
      pooling: choiceOption("mean", "cls", "last_token"),
      queryPrefix: prefixOption,
      documentPrefix: prefixOption,
      tokenCountMax: integerOption(8, 8_192),
      batchSize: integerOption(1, 256),
    },
  );
}
