import type { KeyReference } from "@membus/agent-client";
import { type MemoryTier, TIERS } from "@membus/protocol";

const URI = new RegExp(`^membus://(${TIERS.join("|")})/([0-9a-f]{64})$`);

export const URI_TEMPLATE = "membus://{tier}/{key_hash}";

/** An entry of this server's namespace, wherever its key came from. */
export function memoryUri({ tier, key_hash }: { readonly tier: string; readonly key_hash: string }): string {
  return `membus://${tier}/${key_hash}`;
}

export interface MemoryReference {
  readonly tier?: MemoryTier;
  readonly key: KeyReference;
}

/** A URI as the tools return it; anything else is a key. */
export function parseReference(text: string): MemoryReference {
  const [, tier, hash] = URI.exec(text) ?? [];
  return tier === undefined ? { key: text } : { tier: tier as MemoryTier, key: { $hash: hash! } };
}
