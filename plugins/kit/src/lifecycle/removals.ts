import type { MemoryChange, PluginServices } from "@membus/protocol";
import type { Holdings } from "../quotas/index.js";
import type { Retention } from "../retention.js";
import type { RowFacets } from "../row.js";
import type { RemovedRow } from "../search/index.js";
import { countRemoved } from "./count-rows.js";
import type { BodyCache } from "./residency/body-cache.js";
import type { Resident } from "./residency/resident.js";

/** Reason for the removal of a version. Without `agent` it is attributed to its author. */
export interface Removal {
  readonly action: MemoryChange["action"];
  readonly agent?: string;
}

export interface RemovalsParts {
  readonly bodies: BodyCache;
  readonly retention: Retention | undefined;
  /** Set for a durable tier with quotas. */
  readonly holdings: Holdings | undefined;
  readonly notify: PluginServices["notify"];
}

/** Removes versions from RAM (partition and cache) and notifies the other components. */
export class Removals {
  readonly #parts: RemovalsParts;

  constructor(parts: RemovalsParts) {
    this.#parts = parts;
  }

  remove(
    resident: Resident,
    version: { readonly keyHash: string; readonly rowId: number },
    removal: Removal,
  ): boolean {
    const removed = resident.partition.remove(version.keyHash, version.rowId);
    if (removed === undefined) return false;
    this.report(resident, removed, removal);
    return true;
  }

  /** Updates the other components after a row was removed from its partition. */
  report(resident: Resident, removed: RemovedRow, { action, agent }: Removal): void {
    const { bodies, retention, holdings, notify } = this.#parts;
    // The next sweep frees the space, because this partition may not receive another store.
    resident.holdsForgotten ||= resident.partition.isSparse;
    const facets = JSON.parse(removed.facets) as RowFacets;
    bodies.drop(removed.rowId);
    countRemoved(holdings, resident, removed);
    retention?.removed({ scope: resident.id, keyHash: removed.keyHash });
    notify(
      {
        action,
        scope: resident.scope,
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
