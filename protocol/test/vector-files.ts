import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Encoding, ErrorCode, ErrorDetail, Message } from "../src/index.js";

const FOLDER = fileURLToPath(new URL("../vectors/", import.meta.url));

interface Payload {
  readonly name: string;
  readonly encoding: Encoding;
  readonly content_type?: string;
  readonly text?: string;
  readonly bytes_base64?: string;
  readonly parts?: readonly (string | { readonly repeat: string; readonly times: number })[];
}

export interface ValidVector extends Payload {
  readonly message: Message;
  /** False if a host accepts a message that the JSON Schema does not describe. */
  readonly schema?: boolean;
  readonly entry_errors?: Readonly<Record<string, ErrorCode>>;
}

export interface InvalidVector extends Payload {
  readonly subject?: string;
  readonly entry?: number;
  readonly error: {
    readonly code: ErrorCode;
    readonly path?: string;
    readonly detail?: ErrorDetail;
    readonly req_id?: string | null;
  };
}

export interface KeyVector {
  readonly name: string;
  readonly key: string | Record<string, never>;
  readonly canonical: string;
  readonly sha256: string;
}

export const VALID = readFolder<ValidVector>("valid");
export const INVALID = readFolder<InvalidVector>("invalid");
export const KEYS = readFile<KeyVector>("keys.json");

function readFolder<T>(folder: string): readonly T[] {
  return readdirSync(FOLDER + folder).flatMap((file) => readFile<T>(`${folder}/${file}`));
}

function readFile<T>(path: string): readonly T[] {
  return JSON.parse(readFileSync(FOLDER + path, "utf8")) as T[];
}

/** Returns the bytes of a vector. */
export function bytesOf({ text, bytes_base64, parts }: Payload): Uint8Array {
  if (bytes_base64 !== undefined) return Buffer.from(bytes_base64, "base64");
  if (text !== undefined) return Buffer.from(text, "utf8");
  const pieces = parts?.map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times)));
  return Buffer.from(pieces!.join(""), "utf8");
}

/** Returns `value` with every vector as a list of numbers, like in the files. */
export function withLists(value: unknown): unknown {
  if (value instanceof Float32Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(withLists);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withLists(inner)]));
}
