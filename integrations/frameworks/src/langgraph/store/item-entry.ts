import type { Item, PutOperation } from "@langchain/langgraph-checkpoint";
import type { EntryInput } from "@membus/agent-client";
import type { Json, MemoryEntry } from "@membus/protocol";
import { toJsonValue } from "../../values/index.js";
import { indexedText } from "./indexed-text.js";
import type { ResolvedStoreOptions } from "./store-options.js";
import { filterMetadata } from "./value-filter.js";

/** Field of a key with the namespace. */
export const PATH_FIELD = "key.path";

/** Returns `a.b.`. The final dot keeps the prefix `acme.` apart from `acme-corp.`. */
export function pathOf(namespace: readonly string[]): string {
  return namespace.map((label) => `${label}.`).join("");
}

export function namespaceOf(path: string): string[] {
  return path.split(".").slice(0, -1);
}

export function itemKey({ namespace, key }: { readonly namespace: readonly string[]; readonly key: string }) {
  return { path: pathOf(namespace), item: key };
}

/** @throws {TypeError} for a value that JSON cannot represent. */
export function itemInput(
  operation: PutOperation,
  { ttl, index }: Pick<ResolvedStoreOptions, "ttl" | "index">,
): EntryInput {
  const content = toJsonValue(operation.value, "value");
  const text = indexedText(content, operation.index ?? index);
  const metadata = filterMetadata(content);
  return { key: itemKey(operation), content, text, metadata, ...(ttl !== undefined && { ttl }) };
}

export function itemOf({ key, content, timestamps }: MemoryEntry): Item {
  const { path, item } = key as { readonly path: string; readonly item: string };
  return {
    value: content as Record<string, Json>,
    key: item,
    namespace: namespaceOf(path),
    createdAt: dateOf(timestamps.created),
    updatedAt: dateOf(timestamps.updated),
  };
}

function dateOf(seconds: number): Date {
  return new Date(Math.round(seconds * 1000));
}
