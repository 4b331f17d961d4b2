import type { MemoryPlugin } from "@membus/protocol";

export interface PluginModule {
  createPlugin(): MemoryPlugin | Promise<MemoryPlugin>;
}

/**
 * Loads a module that exports `createPlugin`, by name or as its default.
 * @throws {TypeError} when it exports none.
 */
export async function loadPluginModule(url: string): Promise<PluginModule> {
  const module = (await import(url)) as { createPlugin?: unknown; default?: unknown };
  const createPlugin = module.createPlugin ?? module.default;
  if (typeof createPlugin !== "function") {
    throw new TypeError(`${url} exports no function \`createPlugin\`, by that name or as its default`);
  }
  return { createPlugin: createPlugin as PluginModule["createPlugin"] };
}
