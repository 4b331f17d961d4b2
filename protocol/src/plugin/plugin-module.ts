import { existsSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { MemoryPlugin } from "./plugin.js";

/** What the module of a plugin exports (clause PLUG-19). */
export interface PluginModule {
  /** A new instance, not opened. `options` are those of its settings, absent where there are none. */
  createPlugin(options?: Readonly<Record<string, unknown>>): MemoryPlugin | Promise<MemoryPlugin>;
}

/**
 * The URL of a plugin's module: a file, by its path from `folder`, or else a package that is installed for files there.
 * @throws {TypeError} where there is neither.
 */
export async function findPluginModule(module: string, folder: string): Promise<string> {
  const path = resolve(folder, module);
  if (isFile(path)) return pathToFileURL(path).href;
  const found = isPath(module) ? undefined : await findPackage(module, folder);
  if (found !== undefined) return found;
  const message = existsSync(path)
    ? `${path} is a folder: name the plugin's file in it, such as ${join(module, "dist/plugin.js")}`
    : `there is no file ${path}, and no package that Node finds as \`${module}\``;
  throw new TypeError(message);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isPath(module: string): boolean {
  return module.startsWith(".") || isAbsolute(module);
}

/** As `import` finds it; what a package names without having it is not found. */
async function findPackage(name: string, folder: string): Promise<string | undefined> {
  const { resolve: resolvePackage } = await import("import-meta-resolve");
  try {
    const url = resolvePackage(name, pathToFileURL(join(folder, "package.json")).href);
    return isFile(fileURLToPath(url)) ? url : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Loads a module that exports `createPlugin`, by that name or as its default.
 * @throws {TypeError} when it exports none, and what importing it throws.
 */
export async function loadPluginModule(url: string): Promise<PluginModule> {
  const module = (await import(url)) as { createPlugin?: unknown; default?: unknown };
  const createPlugin = module.createPlugin ?? module.default;
  if (typeof createPlugin !== "function") {
    throw new TypeError(`${url} exports no function \`createPlugin\`, by that name or as its default`);
  }
  return { createPlugin: createPlugin as PluginModule["createPlugin"] };
}
