import { isJsonObject, type Json } from "@membus/protocol";

/**
 * Applies a JSON Merge Patch (RFC 7396) to `target`: fields of the patch replace fields of the target, null
 * removes a field, objects are merged recursively, and all other values, lists too, are replaced. Neither
 * argument is changed. Common npm packages for this change their argument, and let a field `__proto__` change
 * the prototype.
 */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map<string, Json>(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name) ?? null, value));
  }
  return Object.fromEntries(merged);
}
