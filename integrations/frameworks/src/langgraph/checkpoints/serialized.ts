import { isUtf8 } from "node:buffer";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";

/** A serialized value as JSON: JSON as text, other bytes in base64. */
export type Serialized =
  | { readonly type: string; readonly text: string }
  | { readonly type: string; readonly base64: string };

export async function serialize(serde: SerializerProtocol, value: unknown): Promise<Serialized> {
  const [type, bytes] = await serde.dumpsTyped(value);
  const buffer = Buffer.from(bytes);
  if (type === "json" && isUtf8(buffer)) return { type, text: buffer.toString("utf8") };
  return { type, base64: buffer.toString("base64") };
}

export async function deserialize(serde: SerializerProtocol, serialized: Serialized): Promise<unknown> {
  const bytes = "text" in serialized ? encode(serialized.text) : decode(serialized.base64);
  return serde.loadsTyped(serialized.type, bytes);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Returns a plain `Uint8Array`, not a `Buffer`, so that restored values have their original type. */
function decode(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, "base64"));
}
