import type { MemoryChange, PluginServices } from "@membus/protocol/plugin";
import type { UsageTracker } from "../quotas/index.js";
import type { Retention } from "../retention.js";
import type { RowFacets } from "../row.js";
import type { RemovedRow } from "../search/index.js";
import { countRemoved } from "./count-rows.js";
import type { BodyCache } from "./residency/body-cache.js";
import type { LoadedPartition } from "./residency/loaded-partition.js";

/** Reason for the removal of a version. Without `agent` it is attributed to its author. */
export interface Removal {
  readonly action: MemoryChange["action"];
  readonly agent?: string;
}

export interface RemovalsParts {
  readonly bodies: BodyCache;
  readonly retention: Retention | undefined;
  /** Set for a durable tier with quotas. */
  readonly usageTracker: UsageTracker | undefined;
  readonly notify: PluginServices["notify"];
}

/** Removes versions from RAM (partition and cache) and notifies the other components. */
export class Removals {
  readonly #parts: RemovalsParts;

  constructor(parts: RemovalsParts) {
    this.#parts = parts;
  }

  remove(
    loaded: LoadedPartition,
    version: { readonly keyHash: string; readonly rowId: number },
    removal: Removal,
  ): boolean {
    const removed = loaded.partition.remove(version.keyHash, version.rowId);
    if (removed === undefined) return false;
    this.report(loaded, removed, removal);
    return true;
  }

  /** Updates the other components after a row was removed from its partition. */
  report(loaded: LoadedPartition, removed: RemovedRow, { action, agent }: Removal): void {
    const { bodies, retention, usageTracker, notify } = this.#parts;
    // The next sweep frees the space, because this partition may not receive another store.
    loaded.hasForgottenRows ||= loaded.partition.isSparse;
    const facets = JSON.parse(removed.facets) as RowFacets;
    bodies.drop(removed.rowId);
    countRemoved(usageTracker, loaded, removed);
    retention?.removed({ scope: loaded.id, keyHash: removed.keyHash });
    notify(
      {
        action,
        scope: loaded.scope,
        key: facets.key,
        key_hash: removed.keyHash,
        tags: facets.tags,
        ...(removed.group === "" ? {} : { group: removed.group }),
        revision: removed.revision,
        author: facets.author,
      },
      agent ?? facets.author,
    );
  }
}
