import { z } from "zod";
import { EmbeddingSchema } from "../src/entry/entry.js";
import { LIMITS } from "../src/limits.js";
import { MESSAGE_SCHEMAS, type MessageType } from "../src/messages/message-types.js";
import { HeadSchema, PartSchema, RECORD_SCHEMAS } from "../src/records/index.js";

type JsonSchema = z.core.JSONSchema.BaseSchema;

export const MESSAGE_TYPES = Object.keys(MESSAGE_SCHEMAS) as MessageType[];

/** `memory/store/req` -> `memory-store-req.json`. */
export function schemaFileName(type: MessageType): string {
  return `${type.replaceAll("/", "-")}.json`;
}

/**
 * Returns a self-contained JSON Schema (draft 2020-12) of the JSON form that senders of a message should
 * write.
 */
export function messageJsonSchema(type: MessageType): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(MESSAGE_SCHEMAS[type], {
    target: "draft-2020-12",
    io: "input",
    unrepresentable: "any",
    override: adjust,
  });
  return { $schema: $schema!, title: type, ...schema };
}

/** Schemas of each record kind, and of the head and parts of a split record. */
const RECORDS: Readonly<Record<string, z.ZodType>> = {
  ...RECORD_SCHEMAS,
  head: HeadSchema,
  part: PartSchema,
};
export const RECORD_NAMES = Object.keys(RECORDS);

/**
 * Returns a self-contained JSON Schema of an entry that contains a record. Other entry fields are allowed.
 */
export function recordJsonSchema(name: string): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(RECORDS[name]!, {
    target: "draft-2020-12",
    io: "input",
    unrepresentable: "any",
  });
  return { $schema: $schema!, title: name, ...schema };
}

/**
 * Adds rules that zod cannot express: vectors, and name prefixes that are ignored or rejected (clauses ENV-6
 * and ENTRY-8).
 */
function adjust({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: JsonSchema }): void {
  if (zodSchema === EmbeddingSchema) {
    delete jsonSchema.anyOf;
    jsonSchema.type = "array";
    jsonSchema.items = { type: "number" };
    jsonSchema.minItems = 1;
    jsonSchema.maxItems = LIMITS.embeddingDimensions;
  }
  const { type } = (jsonSchema.properties ?? {}) as { type?: JsonSchema };
  if (type?.const !== undefined && jsonSchema.additionalProperties === false) {
    jsonSchema.patternProperties = { "^x_": {} };
  }
  if (jsonSchema.properties?.if_revision) {
    jsonSchema.patternProperties = { "^if_(?!revision$)": false };
  }
}
