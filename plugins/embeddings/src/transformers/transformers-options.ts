import {
  choiceOption,
  integerOption,
  LIMITS,
  type ResolvedOptions,
  resolveOptions,
  stringOption,
} from "@membus/protocol";
import { prefixOption } from "../prefix.js";

/** The numbers that a model's file holds, and how the file in `onnx/` is called then. */
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

/** `model` must be given. */
export interface TransformersEmbedderOptions {
  /** The folder of the model: `config.json`, `tokenizer.json`, `tokenizer_config.json` and `onnx/`. Nothing is downloaded. */
  readonly model: string;
  /**
   * Components of a vector, integer 0..4096: the first ones of the model's. 0: all.
   * @default 0
   */
  readonly dimensions?: number | undefined;
  /**
   * Which of the model's files to use: fp32 is `onnx/model.onnx`, q8 `onnx/model_quantized.onnx`, any other
   * `onnx/model_<dtype>.onnx`.
   * @default "fp32"
   */
  readonly dtype?: ModelDtype | undefined;
  /**
   * How the vector of a text is made from those of its tokens.
   * @default "mean"
   */
  readonly pooling?: ModelPooling | undefined;
  /**
   * Put before every query, as some models want.
   * @default ""
   */
  readonly queryPrefix?: string | undefined;
  /**
   * Put before every document.
   * @default ""
   */
  readonly documentPrefix?: string | undefined;
  /**
   * Tokens of a text that count, its prefix included, integer 8..8192; never more than the model can take.
   * @default 512
   */
  readonly tokenCountMax?: number | undefined;
  /**
   * Texts that go through the model together, integer 1..256.
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

/** @throws {TypeError} for a missing or unknown option, or a value out of range. */
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
