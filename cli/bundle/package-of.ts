import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Installed package of a module. */
export interface InstalledPackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
}

/** Returns the package of the nearest package.json with a name and a version. */
export function packageOf(modulePath: string): InstalledPackage {
  for (let folder = dirname(modulePath); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (!existsSync(file)) continue;
    const { name, version } = JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
    if (name !== undefined && version !== undefined) return { folder, name, version };
  }
  throw new Error(`no package.json found above ${modulePath}`);
}
