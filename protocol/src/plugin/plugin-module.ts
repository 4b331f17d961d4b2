import { existsSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { MemoryPlugin } from "./plugin.js";

/** Exports of a plugin module (clause PLUG-19). */
export interface PluginModule {
  /** Creates a plugin that is not yet open. `options` are the plugin's settings, absent if there are none. */
  createPlugin(options?: Readonly<Record<string, unknown>>): MemoryPlugin | Promise<MemoryPlugin>;
}

/**
 * Returns the URL of a plugin module: a file relative to `folder`, or a package that is installed there.
 *
 * @throws {TypeError} if neither exists.
 */
export async function findPluginModule(module: string, folder: string): Promise<string> {
  const path = resolve(folder, module);
  if (isFile(path)) return pathToFileURL(path).href;
  const found = isPath(module) ? undefined : await findPackage(module, folder);
  if (found !== undefined) return found;
  const message = existsSync(path)
    ? `${path} is a folder: name the plugin's file, such as ${join(module, "dist/plugin.js")}`
    : `plugin not found: no file ${path} and no package \`${module}\``;
  throw new TypeError(message);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isPath(module: string): boolean {
  return module.startsWith(".") || isAbsolute(module);
}

/** Resolves a package like `import`. Returns undefined if the file that the package names does not exist. */
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
 * Loads a module that exports `createPlugin`, by name or as its default export. The default export may also be an
 * object with `createPlugin`, which is what Node.js gives for `module.exports` of most CommonJS modules.
 *
 * @throws {TypeError} if the module does not export it. Errors of the import are passed on.
 */
export async function loadPluginModule(url: string): Promise<PluginModule> {
  const module = (await import(url)) as { createPlugin?: unknown; default?: unknown };
  const object = module.default as { createPlugin?: unknown } | null | undefined;
  const createPlugin = module.createPlugin ?? object?.createPlugin ?? module.default;
  if (typeof createPlugin !== "function") {
    throw new TypeError(`${url} does not export a function \`createPlugin\`, by name or as its default`);
  }
  return { createPlugin: createPlugin as PluginModule["createPlugin"] };
}
