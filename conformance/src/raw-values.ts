import { encodeMessage, type Message } from "@membus/protocol";

/** Stands in a message where raw bytes of a value belong. */
export const RAW = "raw value";

/** A message in JSON with `text` in place of `RAW`. */
export function rawJson(message: Readonly<Message>, text: string): Uint8Array {
  return Buffer.from(
    JSON.stringify(message).replace(JSON.stringify(RAW), () => text),
    "utf8",
  );
}

/** A message in MessagePack with `bytes` in place of `RAW`. */
export function rawPack(message: Readonly<Message>, bytes: readonly number[]): Uint8Array {
  const packed = Buffer.from(encodeMessage(message, "msgpack"));
  const mark = Buffer.from([0xa0 + RAW.length, ...Buffer.from(RAW)]);
  const at = packed.indexOf(mark);
  return Buffer.concat([packed.subarray(0, at), Buffer.from(bytes), packed.subarray(at + mark.length)]);
}

/** A short string in MessagePack, of bytes as given. */
export function packedString(text: string | readonly number[]): readonly number[] {
  const bytes = [...Buffer.from(text as string)];
  return [0xa0 + bytes.length, ...bytes];
}

/** A float of 64 bits in MessagePack. */
export function packedDouble(value: number): readonly number[] {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return [0xcb, ...bytes];
}
