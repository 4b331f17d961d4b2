import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { MemoryTier } from "@membus/protocol";
import { MEMBUS_VERSION } from "../version.js";

const TEMPLATES = fileURLToPath(new URL("../../templates", import.meta.url));
const NAME = /^[a-z][a-z0-9-]{0,62}$/;
/** Target paths of template files that are renamed here, because their real names would affect this repository. */
const TARGET_PATHS: Readonly<Record<string, string>> = {
  "ci/github.yml": ".github/workflows/test.yml",
  gitignore: ".gitignore",
};
const DEV_DEPENDENCIES = { "@types/node": "20.19.0", typescript: "7.0.2", vitest: "4.1.11" };

export type TemplateKind = "direct" | "kit";

export interface PluginPlan {
  readonly name: string;
  readonly kind: TemplateKind;
  readonly tier: MemoryTier;
  readonly directory: string;
}

/**
 * Writes a plugin that compiles and passes the core profile. Returns the paths of the files, relative to the
 * directory.
 * @throws {TypeError} for an invalid package name, or a directory that is not empty.
 */
export async function scaffoldPlugin({ name, kind, tier, directory }: PluginPlan): Promise<string[]> {
  if (!NAME.test(name))
    throw new TypeError(`invalid plugin name \`${name}\`: use a-z, 0-9 and -, and start with a letter`);
  const target = resolve(directory);
  const present = await readdir(target).catch(() => []);
  if (present.length > 0) throw new TypeError(`${target} is not empty: choose a new directory with --into`);
  const written: string[] = [];
  for (const folder of [join(TEMPLATES, "package"), join(TEMPLATES, kind)]) {
    for (const path of await filesBelow(folder)) {
      const targetPath = TARGET_PATHS[path] ?? path;
      const text = fillTemplate(await readFile(join(folder, path), "utf8"), name, tier);
      await mkdir(dirname(join(target, targetPath)), { recursive: true });
      await writeFile(join(target, targetPath), path === "package.json" ? withDependencies(text) : text);
      written.push(targetPath);
    }
  }
  return written.sort();
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll("\\", "/"));
}

function fillTemplate(text: string, name: string, tier: MemoryTier): string {
  const className = name.replace(/(^|-)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
  return text
    .replaceAll("PluginName", className)
    .replaceAll("plugin-name", name)
    .replaceAll("PLUGIN_TIER", tier);
}

function withDependencies(text: string): string {
  const manifest = JSON.parse(text) as Record<string, unknown>;
  manifest.dependencies = { membus: MEMBUS_VERSION };
  manifest.devDependencies = DEV_DEPENDENCIES;
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
