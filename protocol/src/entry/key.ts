import { hash } from "node:crypto";
import canonicalize from "canonicalize";
import type { Json, JsonObject } from "../json.js";

/** Identity of an entry: a non-empty object. A string is short for `{"name": string}`. */
export type MemoryKey = JsonObject;

/** Reference to an existing entry by the hash of its key. */
export interface KeyHashReference {
  readonly $hash: string;
}

/** Returns RFC 8785 canonical JSON (clause KEY-2). */
export function canonicalJson(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("the value has no JSON form");
  return text;
}

/** Returns the key as an object (clause KEY-1). */
export function normaliseKey(key: MemoryKey | string): MemoryKey {
  return typeof key === "string" ? { name: key } : key;
}

/** Returns the SHA-256 of the canonical JSON of a key, as 64 hex digits (clause KEY-2). */
export function keyHash(key: MemoryKey | string): string {
  return hash("sha256", canonicalJson(normaliseKey(key)), "hex");
}

/** Returns the key hash of one element of `keys`. */
export function keyReferenceHash(reference: MemoryKey | string | KeyHashReference): string {
  if (typeof reference === "object" && typeof reference.$hash === "string") return reference.$hash;
  return keyHash(reference as MemoryKey | string);
}
