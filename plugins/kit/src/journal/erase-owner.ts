import { parseScopeId } from "@membus/protocol";
import type { Storage } from "../storage.js";
import type { Flusher } from "./flusher.js";
import type { FolderManifest, Owner } from "./folder-manifest.js";

export interface EraseOwnerParts {
  readonly manifest: FolderManifest;
  readonly flusher: Flusher;
  readonly storage: Storage;
  /** The scopes that were written last: they have names. */
  readonly latest: { readonly ids: readonly string[]; remove(isRemoved: (id: string) => boolean): void };
}

/** The next opening erases an owner, if nobody does before. One announcement or erasure at a time. */
export async function announceErasure(owner: Owner, manifest: FolderManifest): Promise<void> {
  await manifest.update({ erasing: [...othersThan(owner, manifest), owner] });
}

/**
 * Ends when nothing of what an owner had at the beginning is left on disk. `remove` takes its entries and remembered replies.
 * The manifest names the owner meanwhile, so that the next opening goes on after a crash.
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
  // A flush that ends meanwhile would write down again what is gone.
  await flusher.write(async () => {
    latest.remove((id) => isOwned(id, owner));
    // What agents have stored meanwhile is in the table, too.
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
