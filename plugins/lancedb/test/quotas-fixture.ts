import type { KitPlugin, StorageQuotaOptions } from "@membus/plugin-kit";
import { type Clock, type MemoryTier, systemClock } from "@membus/protocol";
import type { PluginStoreResult } from "@membus/protocol/plugin";
import { calls } from "../../kit/test/kit-calls.js";
import type { ScopeFields } from "../../kit/test/kit-requests.js";
import { createLanceDbPlugin } from "../src/index.js";

export interface QuotaSetup {
  readonly quotas?: StorageQuotaOptions;
  readonly tier?: MemoryTier;
  readonly clock?: Clock;
  /** Milliseconds. By default nothing is flushed automatically. */
  readonly flushIdleMs?: number;
}

/** Opens a tier of a folder with quotas. */
export async function openWithQuotas(directory: string, setup: QuotaSetup = {}) {
  const { quotas, tier = "episodic", clock = systemClock, flushIdleMs = 3_600_000 } = setup;
  const plugin: KitPlugin = createLanceDbPlugin({ kit: { flushIdleMs }, ...(quotas && { quotas }) });
  await plugin.open({
    ...{ tier, clock, dataDirectory: directory, notify() {} },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const of = (fields: ScopeFields = {}) => calls({ plugin, clock }, { tier, ...fields });
  return { plugin, of };
}

/** Returns the result of a store: `stored`, or the limit that was reached. */
export function outcomeOf({ receipts, errors }: PluginStoreResult): string {
  const limits = errors.map(({ error }) => (error.code === "memory_full" ? error.detail.limit : error.code));
  return limits.length > 0 ? limits.join() : receipts.map(({ outcome }) => outcome).join();
}
