import type { MemoryChange, PluginServices } from "@membus/protocol";
import type { Holdings } from "../quotas/index.js";
import type { Retention } from "../retention.js";
import type { RowFacets } from "../row.js";
import type { RemovedRow } from "../search/index.js";
import { countRemoved } from "./count-rows.js";
import type { BodyCache } from "./residency/body-cache.js";
import type { Resident } from "./residency/resident.js";

/** Why a version goes, on behalf of `agent`, or of its author. */
export interface Removal {
  readonly action: MemoryChange["action"];
  readonly agent?: string;
}

export interface RemovalsParts {
  readonly bodies: BodyCache;
  readonly retention: Retention | undefined;
  /** Of a durable tier with quotas. */
  readonly holdings: Holdings | undefined;
  readonly notify: PluginServices["notify"];
}

/** Takes versions out of RAM: out of their partition and the cache, and tells whoever has to know. */
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

  /** What has to be done for a row that has left its partition. */
  report(resident: Resident, removed: RemovedRow, { action, agent }: Removal): void {
    const { bodies, retention, holdings, notify } = this.#parts;
    // Its place goes to others at the next sweep, as nothing may be stored here any more.
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
