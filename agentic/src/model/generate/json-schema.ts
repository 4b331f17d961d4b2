import { z } from "zod";

/**
 * Returns the JSON Schema (draft 2020-12) of the input of `schema`, before defaults and transformations.
 * Objects exclude additional fields, which providers require for enforced schemas.
 */
export function jsonSchemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties ??= false;
    },
  });
}
