import { isJsonObject, type Json } from "@membus/protocol";

/**
 * `target` changed by a JSON Merge Patch (RFC 7396): fields of the patch replace those of the target, null removes, objects are
 * merged in each other, and everything else, lists too, is replaced as a whole. Neither argument is changed. Written here
 * because the common packages change their argument, and let a field `__proto__` through to the prototype.
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
