import { createHash } from "node:crypto";

const WEIGHT_BYTES = 6;

/**
 * Returns the host that should own a shard, by rendezvous hash: a host that joins or leaves moves only the
 * shards that it gains or loses. Undefined without hosts.
 */
export function bestHost(shard: number, hosts: Iterable<string>): string | undefined {
  let best: { readonly host: string; readonly weight: number } | undefined;
  for (const host of hosts) {
    const weight = weightOf(shard, host);
    if (best === undefined || weight > best.weight) best = { host, weight };
  }
  return best?.host;
}

function weightOf(shard: number, host: string): number {
  return createHash("sha256").update(`${shard}/${host}`).digest().readUIntBE(0, WEIGHT_BYTES);
}
