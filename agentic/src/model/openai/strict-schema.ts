/**
 * Returns whether OpenAI can enforce `schema` strictly: each object lists all its fields, requires all of
 * them and excludes others. Other schemas are sent as non-strict.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (typeof schema !== "object" || schema === null) return true;
  const { type, properties, required, additionalProperties, ...rest } = schema as Record<string, unknown>;
  if (type !== "object") return Object.values(rest).every(isStrictSchema);
  const names = Object.keys((properties ?? {}) as object);
  const requiredNames = Array.isArray(required) ? required : [];
  const isClosed = additionalProperties === false && properties !== undefined;
  return isClosed && names.every((name) => requiredNames.includes(name)) && isStrictFields(properties);
}

function isStrictFields(properties: unknown): boolean {
  return Object.values(properties as object).every(isStrictSchema);
}
