const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * Returns the shard of a tenant, 0 to `shardCount - 1`: the FNV-1a hash with 32 bits, as nats-server computes
 * `partition(shardCount,1)`.
 */
export function shardOf(tenant: string, shardCount: number): number {
  let hash = OFFSET_BASIS;
  for (const byte of Buffer.from(tenant)) hash = Math.imul(hash ^ byte, PRIME);
  return (hash >>> 0) % shardCount;
}
