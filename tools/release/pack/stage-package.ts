import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../set-version.js";

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
}

const NAME = "membus";

/**
 * Writes the package `membus` below an empty folder, with all other public packages inside. Returns its folder.
 * npm installs it although no registry has the other packages.
 */
export function stagePackage(root: string, folder: string): string {
  const { workspaces = [] } = readJson<Manifest>(root, "package.json");
  const inner = workspaces
    .map((path) => readJson<Manifest>(root, `${path}/package.json`))
    .filter((manifest) => !manifest.private && manifest.name !== NAME);
  const names = inner.map(({ name }) => name);
  const staged = join(folder, "package");
  for (const { name, filename } of pack(root, folder, [NAME, ...names])) {
    const target = name === NAME ? staged : join(staged, "node_modules", name);
    mkdirSync(target, { recursive: true });
    execFileSync("tar", ["-xzf", join(folder, filename), "-C", target, "--strip-components", "1"]);
  }
  const manifest = readJson<Manifest>(staged, "package.json");
  const dependencies = allDependencies([manifest, ...inner]);
  const bundled = { ...manifest, dependencies, bundleDependencies: names };
  writeFileSync(join(staged, "package.json"), `${JSON.stringify(bundled, null, 2)}\n`);
  return staged;
}

/**
 * Returns the dependencies of all packages. npm does not install dependencies of packages inside another package,
 * so the outer package names them.
 */
function allDependencies(manifests: readonly Manifest[]): Record<string, string> {
  const found = manifests.flatMap(({ dependencies = {} }) => Object.entries(dependencies));
  return Object.fromEntries(found.sort(([a], [b]) => a.localeCompare(b)));
}

function pack(root: string, folder: string, names: readonly string[]): { name: string; filename: string }[] {
  const workspaces = names.map((name) => `--workspace=${name}`);
  const args = ["pack", "--json", "--silent", "--pack-destination", folder, ...workspaces];
  return JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 }));
}
