import type { Finding } from "../syntax.js";

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

/** Locked packages that name the registry of one machine, or that nothing proves to be the ones that were tested. */
export function checkLockfile({ packages }: Lockfile): Finding[] {
  return Object.entries(packages).flatMap(([path, { resolved, integrity, link }]) => {
    if (resolved?.includes(":")) {
      return [`package-lock.json: ${path} names ${resolved}: npm install --omit-lockfile-registry-resolved`];
    }
    const installed = path.startsWith("node_modules/") && link !== true;
    return installed && integrity === undefined ? [`package-lock.json: ${path} has no integrity`] : [];
  });
}
