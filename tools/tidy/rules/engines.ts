import { satisfies } from "semver";
import type { Lockfile } from "./lockfile.js";

/** Returns the paths of locked packages that do not support this version of Node. */
export function packagesForNewerNode({ packages }: Lockfile, node: string): string[] {
  const found = Object.entries(packages).filter(
    ([, { engines }]) => engines?.node !== undefined && !satisfies(node, engines.node),
  );
  return found.map(([path]) => path);
}
