import type { Json } from "@membus/protocol";

/** Stands for bytes, which JSON has none of: pictures and files of an item may be some. */
const BYTES = "$bytes";

/** An item as JSON, as a database would keep it; bytes are kept as well. @throws {TypeError} for what JSON has nothing for. */
export function toJson(item: unknown): Json {
  const text: string | undefined = JSON.stringify(withMarkedBytes(item));
  if (text === undefined) throw new TypeError(`an item is ${typeof item}, which JSON cannot hold`);
  return JSON.parse(text) as Json;
}

/** What `toJson` was given, as a copy. */
export function fromJson(item: Json): unknown {
  return JSON.parse(JSON.stringify(item), (_, value: unknown) => {
    const marked = markOf(value);
    return marked === undefined ? value : new Uint8Array(Buffer.from(marked, "base64"));
  });
}

/** Before `JSON.stringify` sees them, which gives bytes as objects, or a Buffer by its `toJSON`. */
function withMarkedBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return value.map(withMarkedBytes);
  if (typeof value !== "object" || value === null || "toJSON" in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withMarkedBytes(part)]));
}

function markOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 1) return undefined;
  const marked = (value as { readonly [BYTES]?: unknown })[BYTES];
  return typeof marked === "string" ? marked : undefined;
}
