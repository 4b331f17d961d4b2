import { hash } from "node:crypto";
import canonicalize from "canonicalize";
import type { Json, JsonObject } from "../json.js";

/** The identity of an entry: a non-empty object. A string in its place is short for `{"name": string}`. */
export type MemoryKey = JsonObject;

/** A key by its hash, where a request names existing entries. */
export interface KeyHashReference {
  readonly $hash: string;
}

/** RFC 8785 canonical JSON (clause KEY-2). */
export function canonicalJson(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("value has no JSON form");
  return text;
}

/** The key object that `key` stands for (clause KEY-1). */
export function normaliseKey(key: MemoryKey | string): MemoryKey {
  return typeof key === "string" ? { name: key } : key;
}

/** SHA-256 of the canonical JSON of a key, 64 hex digits (clause KEY-2). */
export function keyHash(key: MemoryKey | string): string {
  return hash("sha256", canonicalJson(normaliseKey(key)), "hex");
}

/** The hash that one element of `keys` names. */
export function keyReferenceHash(reference: MemoryKey | string | KeyHashReference): string {
  if (typeof reference === "object" && typeof reference.$hash === "string") return reference.$hash;
  return keyHash(reference as MemoryKey | string);
}
