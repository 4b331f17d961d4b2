import type { Json } from "@membus/protocol";
import { jsonOf } from "../values/index.js";

/**
 * Stands for bytes, which JSON has none of: pictures and files of an item may be some. With a text it is bytes; what an item
 * itself has in a field of that name is in a list.
 */
const BYTES = "$bytes";

/** An item as JSON, as a database would keep it; bytes are kept as well. @throws {TypeError} for what JSON has nothing for. */
export function toJson(item: unknown): Json {
  return jsonOf(item, "an item", withMark);
}

/** What `toJson` was given, as a copy. */
export function fromJson(item: Json): unknown {
  return JSON.parse(JSON.stringify(item), (_, value: unknown) => withoutMark(value));
}

/** For `JSON.stringify`. A Buffer is looked for where it is: what arrives here is what its `toJSON` made of it. */
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
