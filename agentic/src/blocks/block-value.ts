import type { Json } from "@membus/protocol";
import { z } from "zod";
import { jsonSchemaOf } from "../model/index.js";
import type { StoredBlock } from "./block.js";
import { BlockError } from "./block-error.js";

/** Code points of a text; of another value, of its compact JSON. */
export function lengthOf(value: Json): number {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/**
 * @throws {BlockError} "too_long", "invalid_value" for what the schema does not take, "wrong_kind" for what is no text in a
 * block without a schema.
 */
export function checkValue(
  { label, limit, schema }: Pick<StoredBlock, "label" | "limit" | "schema">,
  value: Json,
): void {
  if (schema === undefined && typeof value !== "string") {
    throw new BlockError("wrong_kind", label, "it is a text: another value needs a schema");
  }
  const length = lengthOf(value);
  if (length > limit) {
    throw new BlockError("too_long", label, `it may have ${limit} characters and would have ${length}`);
  }
  if (schema === undefined) return;
  const checked = compile(schema).safeParse(value);
  if (checked.success) return;
  throw new BlockError("invalid_value", label, z.prettifyError(checked.error), { cause: checked.error });
}

/**
 * A schema as it is stored, so that every agent's edits are held to it: of a zod schema what JSON Schema can say of it.
 * @throws {TypeError} for one that cannot be read.
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
    throw new TypeError(`the schema cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
