import { type Analyzer, KitPlugin } from "@membus/plugin-kit";
import { parseOptions } from "@membus/protocol";
import { type LruOptions, LruOptionsSchema } from "./lru-options.js";
import { LruRetention } from "./lru-retention.js";
import { type Quotas, quotaTable } from "./quotas.js";

/**
 * Creates the working tier, which keeps everything in memory and evicts the least recently used entries. The
 * kit provides search, filters, expiry and revisions. This package decides which entries to evict.
 * @param quotas limits of agents and tenants. An agent or tenant over its quota loses its least recently used
 * entries.
 * @param analyzer splits texts into terms, by default for English.
 * @throws {TypeError} For an unknown option or a value out of range.
 */
export function createLruPlugin(options: LruOptions = {}, analyzer?: Analyzer, quotas?: Quotas): KitPlugin {
  const resolved = parseOptions(LruOptionsSchema, options);
  const table = quotaTable(quotas);
  const { operationBytesMax, operationCountMax } = resolved;
  return new KitPlugin({
    name: "lru",
    version: "0.1.0",
    options: { operationBytesMax, operationCountMax },
    ...(analyzer === undefined ? {} : { analyzer }),
    retention: () => new LruRetention(resolved, table),
  });
}
