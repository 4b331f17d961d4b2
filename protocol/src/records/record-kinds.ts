import { z } from "zod";
import { boundedString, FractionSchema } from "../bounded-values.js";
import { HashSchema, JsonSchema } from "../entry/index.js";
import { LIMITS } from "../limits.js";

const IdSchema = boundedString(LIMITS.idLength).min(1);
const NameSchema = boundedString(LIMITS.stringLength).min(1);
const SeqSchema = z.int().min(0);
/** Unix seconds. Times before 1970 are negative. */
const InstantSchema = z
  .number()
  .min(-1e11)
  .max(1e11)
  .meta({ description: "Unix seconds, negative before 1970" });

/**
 * Origin of a memory. Memories of another origin than the user are not shared until they are confirmed
 * (clause REC-9).
 */
export const TrustSchema = z.enum(["user", "agent", "tool", "web"]);
export type Trust = z.infer<typeof TrustSchema>;

export const RoleSchema = z.enum(["system", "developer", "user", "assistant", "tool"]);
export type Role = z.infer<typeof RoleSchema>;

/**
 * Tool call of a model. `arguments` are the model's text, which may be invalid JSON. Ids come from the
 * provider. Some are empty, and some contain a signature of many kilobytes.
 */
export const ToolCallSchema = z.looseObject({
  id: z.string(),
  name: z.string().min(1),
  arguments: z.string(),
});

/** Chat message. `content` is a text, a list of the model provider's parts, or null with tool calls. */
export const MessageContentSchema = z.looseObject({
  role: RoleSchema,
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()], {
    error: "must be a text, a list of parts that each have a `type`, or null",
  }),
  name: NameSchema.optional(),
  tool_calls: z.array(ToolCallSchema).optional(),
  tool_call_id: z.string().optional(),
  agent_calls: z.array(JsonSchema).optional(),
  structured: JsonSchema.optional(),
  images: z.array(z.string()).optional(),
  reasoning: JsonSchema.optional(),
});

const CostSchema = z.number().min(0);

const CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f";

/** Relative path with `/`. Empty names, `.`, `..` and control characters are not allowed. */
const FilePathSchema = NameSchema.regex(
  new RegExp(`^(?!([\\s\\S]*/)?\\.{0,2}(/|$))[^${CONTROLS}]+$`),
  "must be a path without a leading /, and without empty names, `.` and `..`",
);

/**
 * Record kinds (chapter 7), by the `kind` in their metadata. Readers search by `key` and `metadata`.
 * `content` is the payload. `metadata` is listed without `kind`. Unknown fields are kept.
 */
export const RECORD_KINDS = {
  message: {
    key: z.strictObject({ conversation: IdSchema, message: IdSchema }),
    content: MessageContentSchema,
    metadata: z.looseObject({
      role: RoleSchema,
      name: NameSchema.optional(),
      marks: z.array(NameSchema).optional(),
    }),
  },
  summary: {
    key: z.strictObject({ conversation: IdSchema, summary: IdSchema }),
    content: z.looseObject({
      text: z.string(),
      key_facts: z.array(z.string()),
      open_threads: z.array(z.string()),
      covers: z.looseObject({ from: SeqSchema, to: SeqSchema }),
    }),
    metadata: z.looseObject({ level: z.int().min(1) }),
  },
  fact: {
    key: z.strictObject({ fact: IdSchema }),
    content: z.looseObject({ text: z.string().min(1) }),
    metadata: z.looseObject({
      about: NameSchema,
      category: NameSchema.optional(),
      trust: TrustSchema,
      valid_from: InstantSchema.optional(),
      valid_until: InstantSchema.optional(),
      superseded_by: HashSchema.optional(),
      confidence: FractionSchema.optional(),
    }),
  },
  experience: {
    key: z.strictObject({ experience: IdSchema }),
    content: z.looseObject({ text: z.string().min(1), when_to_use: z.string() }),
    metadata: z.looseObject({ outcome: NameSchema.optional(), value: FractionSchema }),
  },
  tool_call: {
    key: z.strictObject({ tool_call: IdSchema }),
    content: z.looseObject({
      tool: NameSchema,
      input: JsonSchema,
      output: JsonSchema,
      success: z.boolean(),
      token_cost: CostSchema.optional(),
      time_cost_s: CostSchema.optional(),
    }),
    metadata: z.looseObject({ tool: NameSchema, success: z.boolean() }),
  },
  guideline: {
    key: z.strictObject({ guideline: NameSchema }),
    content: z.looseObject({
      text: z.string(),
      figures: z.looseObject({
        calls: z.int().min(0),
        success_rate: FractionSchema,
        mean_token_cost: CostSchema.optional(),
        mean_time_cost_s: CostSchema.optional(),
      }),
    }),
    metadata: z.looseObject({ tool: NameSchema }),
  },
  triple: {
    key: z.strictObject({ subject: NameSchema, predicate: NameSchema, object: NameSchema }),
    content: z.looseObject({ evidence: z.string().optional() }),
    metadata: z.looseObject({
      subject: NameSchema,
      predicate: NameSchema,
      object: NameSchema,
      trust: TrustSchema,
    }),
  },
  block: {
    key: z.strictObject({ block: NameSchema }),
    content: z.looseObject({
      value: JsonSchema,
      description: z.string(),
      limit: z.int().min(1),
      read_only: z.boolean(),
    }),
    metadata: z.looseObject({ label: NameSchema }),
  },
  target: {
    key: z.strictObject({ target: NameSchema, name: NameSchema }),
    content: z.looseObject({ description: z.string() }),
    metadata: z.looseObject({ type: NameSchema, name: NameSchema }),
  },
  history: {
    key: z.strictObject({ history: IdSchema }),
    content: z.looseObject({ conversation: IdSchema, from: SeqSchema, to: SeqSchema }),
    metadata: z.looseObject({}),
  },
  offload: {
    key: z.strictObject({ offload: IdSchema }),
    content: z.looseObject({ text: z.string() }),
    metadata: z.looseObject({ tool: NameSchema.optional(), bytes: z.int().min(0) }),
  },
  file: {
    key: z.strictObject({ file: FilePathSchema }),
    content: z.looseObject({ text: z.string() }),
    metadata: z.looseObject({ bytes: z.int().min(0), sha256: HashSchema.optional() }),
  },
} as const;

/** Metadata fields that repeat a field of the key or content, so that they can be searched (clause REC-3). */
export const REPEATED_FIELDS: {
  readonly [Kind in RecordKind]?: Readonly<Record<string, readonly ["key" | "content", string]>>;
} = {
  message: { role: ["content", "role"], name: ["content", "name"] },
  tool_call: { tool: ["content", "tool"], success: ["content", "success"] },
  guideline: { tool: ["key", "guideline"] },
  triple: { subject: ["key", "subject"], predicate: ["key", "predicate"], object: ["key", "object"] },
  block: { label: ["key", "block"] },
  target: { type: ["key", "target"], name: ["key", "name"] },
};

export type RecordKind = keyof typeof RECORD_KINDS;
export type RecordKey<Kind extends RecordKind> = z.infer<(typeof RECORD_KINDS)[Kind]["key"]>;
export type RecordContent<Kind extends RecordKind> = z.infer<(typeof RECORD_KINDS)[Kind]["content"]>;
export type RecordMetadata<Kind extends RecordKind> = z.infer<(typeof RECORD_KINDS)[Kind]["metadata"]>;
