import { type Analyzer, KitPlugin } from "@membus/plugin-kit";
import type { MemoryPlugin } from "@membus/protocol";
import { type LruOptions, resolveLruOptions } from "./lru-options.js";
import { LruRetention } from "./lru-retention.js";
import { type Quotas, quotaBook } from "./quotas.js";

/**
 * The working tier: everything in memory, the least recently used entries evicted. The kit brings search, filters,
 * expiry and revisions; this package decides what stays.
 *
 * @param quotas what agents and tenants may hold; who holds more loses what he used least recently
 * @param analyzer turns texts into terms; by default English ones
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function createLruPlugin(
  options: LruOptions = {},
  analyzer?: Analyzer,
  quotas?: Quotas,
): MemoryPlugin {
  const resolved = resolveLruOptions(options);
  const book = quotaBook(quotas);
  const { operationBytesMax, operationCountMax } = resolved;
  return new KitPlugin({
    name: "lru",
    version: "0.1.0",
    options: { operationBytesMax, operationCountMax },
    ...(analyzer === undefined ? {} : { analyzer }),
    retention: () => new LruRetention(resolved, book),
  });
}
