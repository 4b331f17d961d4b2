import type { Finding } from "../syntax.js";

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
  /** Operating systems of a package that supports only these. */
  readonly os?: readonly string[];
}

/**
 * Finds locked packages with a registry address or without a checksum. An optional package of one platform
 * needs no checksum, because some registries do not have the packages of all platforms. Finds required
 * packages that run a script when they are installed.
 */
export function checkLockfile({ packages }: Lockfile): Finding[] {
  return Object.entries(packages).flatMap(([path, locked]) => {
    const { resolved, integrity, link } = locked;
    if (resolved?.includes(":")) {
      return [
        `package-lock.json: ${path} contains the address ${resolved}: run npm install --omit-lockfile-registry-resolved`,
      ];
    }
    if (locked.hasInstallScript && !locked.dev && !locked.optional) {
      return [`package-lock.json: ${path} runs a script when it is installed`];
    }
    const installed = path.startsWith("node_modules/") && link !== true;
    return installed && integrity === undefined && !isOfOnePlatform(locked)
      ? [`package-lock.json: ${path} has no checksum (integrity)`]
      : [];
  });
}

function isOfOnePlatform({ optional, os }: LockedPackage): boolean {
  return optional === true && os !== undefined;
}
