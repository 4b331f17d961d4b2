import type { Package } from "../repository.js";
import type { Finding } from "../syntax.js";
import type { Lockfile } from "./lockfile.js";

/** Scripts that npm runs when it installs a package from a registry, a folder or a repository. */
const INSTALL_SCRIPTS = [
  "preinstall",
  "install",
  "postinstall",
  "prepublish",
  "preprepare",
  "prepare",
  "postprepare",
];

/** Finds packages that run a script when they are installed. npm compiles a package that has a binding.gyp. */
export function checkInstallScripts(packages: readonly Package[], files: readonly string[]): Finding[] {
  const scripts = packages.flatMap(({ folder, manifest }) =>
    INSTALL_SCRIPTS.filter((script) => manifest.scripts?.[script] !== undefined).map(
      (script) => `${folder}/package.json: npm runs the script ${script} when the package is installed`,
    ),
  );
  const compiled = files.filter((path) => path.endsWith("binding.gyp"));
  return [...scripts, ...compiled.map((path) => `${path}: npm compiles the package when it is installed`)];
}

/** Returns the names of the optional packages that users may install and that run a script then. */
export function optionalInstallScripts({ packages }: Lockfile): string[] {
  const found = Object.entries(packages).filter(
    ([, { hasInstallScript, optional, dev }]) => hasInstallScript && optional && !dev,
  );
  return found.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
}
