import type { Json } from "@membus/protocol";
import { z } from "zod";
import { jsonSchemaOf } from "../model/index.js";
import type { StoredBlock } from "./block.js";
import { BlockError } from "./block-error.js";

/** Returns the length of a text, or of the compact JSON of another value, in code points. */
export function blockLength(value: Json): number {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/**
 * Checks a new value of a block.
 * @throws {BlockError} "too_long", "invalid_value" if the schema rejects it, "wrong_kind" for a value that is
 * not a text in a block without a schema.
 */
export function checkValue(
  { label, limit, schema }: Pick<StoredBlock, "label" | "limit" | "schema">,
  value: Json,
): void {
  if (schema === undefined && typeof value !== "string") {
    throw new BlockError("wrong_kind", label, "the block has no schema, so its value must be a text");
  }
  const length = blockLength(value);
  if (length > limit) {
    throw new BlockError(
      "too_long",
      label,
      `the value has ${length} characters, limit ${limit}. Shorten it, or raise the block's limit`,
    );
  }
  if (schema === undefined) return;
  const checked = compile(schema).safeParse(value);
  if (checked.success) return;
  throw new BlockError("invalid_value", label, z.prettifyError(checked.error), { cause: checked.error });
}

/**
 * Converts a schema to the JSON Schema that is stored, so that it checks the edits of every agent. Parts of a
 * zod schema that JSON Schema cannot express are dropped.
 * @throws {TypeError} for an invalid schema.
 */
export function storedSchema(schema: z.ZodType | object): object {
  const json = "_zod" in schema ? jsonSchemaOf(schema as z.ZodType) : schema;
  const plain = JSON.parse(JSON.stringify(json)) as object;
  compile(plain);
  return plain;
}

function compile(schema: object): z.ZodType {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    throw new TypeError(`invalid schema: ${(error as Error).message}`, { cause: error });
  }
}
