import type { Json } from "@membus/protocol";
import { toJsonValue } from "../values/index.js";

/**
 * Key of an object that stands for bytes, which JSON does not have. With a text it is bytes. An object of an
 * item with this key is put in a list.
 */
const BYTES = "$bytes";

/** Converts an item to JSON, with its bytes. @throws {TypeError} for a value that JSON cannot represent. */
export function toJson(item: unknown): Json {
  return toJsonValue(item, "an item", withMark);
}

/** Restores the value of `toJson` as a copy. */
export function fromJson(item: Json): unknown {
  return JSON.parse(JSON.stringify(item), (_, value: unknown) => withoutMark(value));
}

/**
 * Replacer for `JSON.stringify`. A Buffer is read from its parent, because the value here is already the
 * result of its `toJSON`.
 */
function withMark(this: unknown, name: string, value: unknown): unknown {
  const part = (this as Record<string, unknown>)[name];
  if (part instanceof Uint8Array) return { [BYTES]: Buffer.from(part).toString("base64") };
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, BYTES)) return value;
  const own = (value as { readonly [BYTES]: unknown })[BYTES];
  return own === undefined ? value : { ...value, [BYTES]: [own] };
}

function withoutMark(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, BYTES)) return value;
  const marked = (value as { readonly [BYTES]: unknown })[BYTES];
  if (typeof marked === "string") return new Uint8Array(Buffer.from(marked, "base64"));
  return Array.isArray(marked) ? { ...value, [BYTES]: marked[0] as unknown } : value;
}
