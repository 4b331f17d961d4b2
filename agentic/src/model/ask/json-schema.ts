import { z } from "zod";

/**
 * The JSON Schema (draft 2020-12) of what a model is to write so that `schema` accepts it: before defaults and
 * transformations. Objects say that they take no other fields, which providers want of an answer that they hold a model to.
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
