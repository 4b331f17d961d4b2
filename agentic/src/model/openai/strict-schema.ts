/**
 * Whether OpenAI can hold a model to `schema` in every detail: each object names all its fields, wants all of them, and takes
 * no others. A schema that asks for less is sent as advice.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (typeof schema !== "object" || schema === null) return true;
  const { type, properties, required, additionalProperties, ...rest } = schema as Record<string, unknown>;
  if (type !== "object") return Object.values(rest).every(isStrictSchema);
  const names = Object.keys((properties ?? {}) as object);
  const wanted = Array.isArray(required) ? required : [];
  const isClosed = additionalProperties === false && properties !== undefined;
  return isClosed && names.every((name) => wanted.includes(name)) && isStrictFields(properties);
}

function isStrictFields(properties: unknown): boolean {
  return Object.values(properties as object).every(isStrictSchema);
}
