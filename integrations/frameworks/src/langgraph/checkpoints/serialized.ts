import { isUtf8 } from "node:buffer";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";

/** What a serializer made of a value, as JSON: its JSON as text, other bytes in base64. */
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

/** No `Buffer`, which is what a value of bytes would become otherwise. */
function decode(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, "base64"));
}
