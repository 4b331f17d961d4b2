import { MemoryError } from "@membus/protocol";
import { DURABLE_TIERS, type EntryStore } from "./entry-store.js";

/**
 * A copy would bring back entries that were forgotten in the target since.
 * @throws {MemoryError} `conflict` if a tenant of `from` has entries in `to`.
 */
export async function requireNewTenants(from: EntryStore, to: EntryStore): Promise<void> {
  const tenants = new Set<string>();
  for (const tier of DURABLE_TIERS) for await (const { tenant } of from.scopes(tier)) tenants.add(tenant);
  for (const tier of DURABLE_TIERS) {
    for await (const { tenant } of to.scopes(tier)) {
      if (!tenants.has(tenant)) continue;
      const message = `tenant ${tenant} has entries in the cluster: erase it first, or continue a copy with --merge, which may bring back entries that were forgotten since`;
      throw new MemoryError("conflict", message, { tenant });
    }
  }
}
