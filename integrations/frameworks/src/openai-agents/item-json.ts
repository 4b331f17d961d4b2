import type { Json } from "@membus/protocol";
import { jsonOf } from "../values/index.js";

/**
 * Stands for bytes, which JSON has none of: pictures and files of an item may be some. With a text it is bytes; what an item
 * itself has in a field of that name is in a list.
 */
const BYTES = "$bytes";

/** An item as JSON, as a database would keep it; bytes are kept as well. @throws {TypeError} for what JSON has nothing for. */
export function toJson(item: unknown): Json {
  return jsonOf(withMarkedBytes(item), "an item");
}

/** What `toJson` was given, as a copy. */
export function fromJson(item: Json): unknown {
  return JSON.parse(JSON.stringify(item), (_, value: unknown) => withoutMark(value));
}

/** Before `JSON.stringify` sees them, which gives bytes as objects, or a Buffer by its `toJSON`. */
function withMarkedBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return value.map(withMarkedBytes);
  if (typeof value !== "object" || value === null) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, markedPart(name, part)]));
}

function markedPart(name: string, part: unknown): unknown {
  const marked = withMarkedBytes(part);
  return name === BYTES && part !== undefined ? [marked] : marked;
}

function withoutMark(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, BYTES)) return value;
  const marked = (value as { readonly [BYTES]: unknown })[BYTES];
  if (typeof marked === "string") return new Uint8Array(Buffer.from(marked, "base64"));
  return Array.isArray(marked) ? { ...value, [BYTES]: marked[0] as unknown } : value;
}
