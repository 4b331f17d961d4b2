import type { Finding } from "../syntax.js";

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  /** Set for a package of one platform. */
  readonly os?: readonly string[];
}

/**
 * Locked packages that name the registry of one machine, or that nothing proves to be the ones that were tested.
 * An optional package of one platform may be locked by its version alone: not every registry carries all of them.
 */
export function checkLockfile({ packages }: Lockfile): Finding[] {
  return Object.entries(packages).flatMap(([path, locked]) => {
    const { resolved, integrity, link } = locked;
    if (resolved?.includes(":")) {
      return [`package-lock.json: ${path} names ${resolved}: npm install --omit-lockfile-registry-resolved`];
    }
    const installed = path.startsWith("node_modules/") && link !== true;
    return installed && integrity === undefined && !isOfOnePlatform(locked)
      ? [`package-lock.json: ${path} has no integrity`]
      : [];
  });
}

function isOfOnePlatform({ optional, os }: LockedPackage): boolean {
  return optional === true && os !== undefined;
}
