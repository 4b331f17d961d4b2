import type { KeyReference } from "@membus/agent-client";
import { isJsonObject, type MemoryKey, type MemoryTier, TIERS } from "@membus/protocol";

const URI = new RegExp(`^membus://(${TIERS.join("|")})/([0-9a-f]{64})$`);

export const URI_TEMPLATE = "membus://{tier}/{key_hash}";

/** Returns the URI of an entry in the namespace of this server. */
export function memoryUri({ tier, key_hash }: { readonly tier: string; readonly key_hash: string }): string {
  return `membus://${tier}/${key_hash}`;
}

export interface MemoryReference {
  readonly tier?: MemoryTier;
  readonly key: KeyReference;
}

/** Parses a reference to a memory: its URI, the JSON of a key with several fields, or a name. */
export function parseReference(text: string): MemoryReference {
  const [, tier, hash] = URI.exec(text) ?? [];
  if (tier !== undefined) return { tier: tier as MemoryTier, key: { $hash: hash! } };
  return { key: fieldsIn(text) ?? text };
}

function fieldsIn(text: string): MemoryKey | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const fields: unknown = JSON.parse(text);
    return isJsonObject(fields) ? (fields as MemoryKey) : undefined;
  } catch {
    return undefined;
  }
}
