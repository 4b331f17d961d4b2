import { directoryHolder } from "@membus/disk";
import type { Owner } from "@membus/plugin-kit";
import { type Logger, MemoryError, systemClock } from "@membus/protocol";
import type { ComposedPlugins } from "../compose/compose-plugins.js";
import {
  type ErasableTier,
  type ErasureOptions,
  erasableTiers,
  eraseTiers,
  type TierErasure,
} from "./erase-tiers.js";

export interface StoppedParts extends ComposedPlugins, ErasureOptions {
  readonly logger: Logger;
}

/**
 * Erases an owner from the folders of a host that is stopped.
 * @throws {MemoryError} `conflict` while a process has one of them open, `unsupported` for a plugin that cannot; then nothing
 * was done.
 */
export async function eraseStopped(owner: Owner, parts: StoppedParts): Promise<TierErasure[]> {
  // The folder of the others tells how far revisions are, and nothing of an owner.
  const tiers = erasableTiers(parts).filter(({ plugin }) => plugin.manifest.features.durable !== false);
  for (const { folder } of tiers) await refuseServed(folder);
  const opened: ErasableTier[] = [];
  try {
    for (const one of tiers) {
      const { tier, folder, plugin } = one;
      await plugin.open?.({
        ...{ tier, clock: systemClock, logger: parts.logger, dataDirectory: folder, notify() {} },
      });
      opened.push(one);
    }
    return await eraseTiers(owner, tiers, parts);
  } finally {
    for (const { plugin } of opened) await plugin.close?.();
  }
}

async function refuseServed(folder: string): Promise<void> {
  const holder = await directoryHolder(folder).catch(() => undefined);
  if (holder === undefined) return;
  const message = `process ${holder.pid} serves ${folder}, and takes no commands: stop it first, or let agents forget with --purge`;
  throw new MemoryError("conflict", message, { path: folder, pid: holder.pid });
}
