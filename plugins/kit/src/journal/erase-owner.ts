import { parseScopeId } from "@membus/protocol";
import type { FolderManifest, Owner } from "../place/index.js";
import type { Storage } from "../storage.js";
import type { Flusher } from "./flusher.js";

export interface EraseOwnerParts {
  readonly manifest: FolderManifest;
  readonly flusher: Flusher;
  readonly storage: Storage;
  /** Recently written scopes, which contain names. */
  readonly latest: { readonly ids: readonly string[]; remove(isRemoved: (id: string) => boolean): void };
}

/**
 * Makes the next open erase the owner, unless it was erased before. Do not run it concurrently with another
 * announcement or erasure.
 */
export async function announceErasure(owner: Owner, manifest: FolderManifest): Promise<void> {
  await manifest.update({ erasing: [...othersThan(owner, manifest), owner] });
}

/**
 * Erases an owner. Resolves once nothing that the owner had at the start is left on disk. `remove` removes
 * its entries and cached replies. During the erasure the manifest names the owner, so that the next open
 * continues after a crash.
 */
export async function eraseOwner<T>(
  owner: Owner,
  remove: () => Promise<T>,
  { manifest, flusher, storage, latest }: EraseOwnerParts,
): Promise<T> {
  const { tenant, agent } = owner;
  await announceErasure(owner, manifest);
  const removed = await remove();
  await flusher.erase(tenant);
  // A flush that ends in between would write the removed scopes again.
  await flusher.write(async () => {
    latest.remove((id) => isOwned(id, owner));
    // The table may contain entries that agents stored during the erasure.
    if (agent === undefined && (await storage.scopes(tenant)).length === 0) {
      await storage.dropTenant?.(tenant, (part) =>
        manifest.update({ parts: manifest.facts.parts.filter(({ name }) => name !== part) }),
      );
    }
    await manifest.update({ scopes: latest.ids, erasing: othersThan(owner, manifest) });
  });
  return removed;
}

function othersThan(owner: Owner, manifest: FolderManifest): Owner[] {
  return manifest.facts.erasing.filter((one) => !isSame(one, owner));
}

function isSame(a: Owner, b: Owner): boolean {
  return a.tenant === b.tenant && a.agent === b.agent;
}

function isOwned(id: string, { tenant, agent }: Owner): boolean {
  const scope = parseScopeId(id);
  return scope.tenant === tenant && (agent === undefined || scope.agent === agent);
}
