import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Encoding, ErrorCode, Message } from "@membus/protocol";

interface GoldenBytes {
  readonly name: string;
  readonly encoding: Encoding;
  readonly content_type?: string;
  readonly text?: string;
  readonly bytes_base64?: string;
  readonly parts?: readonly (string | { readonly repeat: string; readonly times: number })[];
}

/** A message that is accepted. */
export interface ValidMessage extends GoldenBytes {
  readonly message: Message;
  readonly entry_errors?: Readonly<Record<string, ErrorCode>>;
}

/** A message that is refused, or of which the entry at index `entry` is. */
export interface InvalidMessage extends GoldenBytes {
  readonly subject?: string;
  readonly entry?: number;
  readonly error: {
    readonly code: ErrorCode;
    readonly path?: string;
    readonly detail?: Readonly<Record<string, unknown>>;
    readonly req_id?: string | null;
  };
}

const { resolve } = createRequire(import.meta.url);

/** The golden messages of one file of the protocol's package, such as `valid/store.json`. */
export function goldenMessages<Golden extends GoldenBytes>(file: string): readonly Golden[] {
  return JSON.parse(readFileSync(resolve(`@membus/protocol/vectors/${file}`), "utf8")) as Golden[];
}

/** The bytes of a golden message. */
export function bytesOf({ text, bytes_base64, parts = [] }: GoldenBytes): Buffer {
  if (bytes_base64 !== undefined) return Buffer.from(bytes_base64, "base64");
  const pieces = parts.map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times)));
  return Buffer.from(text ?? pieces.join(""), "utf8");
}
