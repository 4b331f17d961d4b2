import { directoryHolder } from "@membus/disk";
import type { Owner } from "@membus/plugin-kit";
import { MemoryError, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { ComposedPlugins } from "../compose/compose-plugins.js";
import {
  type ErasableFolder,
  type ErasureOptions,
  erasableTiers,
  eraseTiers,
  type TierErasure,
} from "./erase-tiers.js";

export interface StoppedHostErasure extends ComposedPlugins, ErasureOptions {
  readonly logger: Logger;
}

/**
 * Erases an owner from the folders of a stopped host.
 * @throws {MemoryError} `conflict` if a process holds one of the folders, `unsupported` for a plugin that
 * cannot erase. Nothing was erased in these cases.
 */
export async function eraseOnStoppedHost(owner: Owner, parts: StoppedHostErasure): Promise<TierErasure[]> {
  // The folders of other tiers contain only a revision counter.
  const tiers = erasableTiers(parts).filter(({ plugin }) => plugin.manifest.features.durable !== false);
  for (const { folder } of tiers) await refuseOpenFolder(folder);
  const opened: ErasableFolder[] = [];
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

async function refuseOpenFolder(folder: string): Promise<void> {
  const holder = await directoryHolder(folder).catch(() => undefined);
  if (holder === undefined) return;
  const message = `process ${holder.pid} holds ${folder} and accepts no commands: stop it first, or let agents forget with --purge`;
  throw new MemoryError("conflict", message, { path: folder, pid: holder.pid });
}
