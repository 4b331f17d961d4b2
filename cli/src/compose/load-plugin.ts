import {
  findPluginModule,
  loadPluginModule,
  type MemoryPlugin,
  type MemoryTier,
  pluginProblem,
} from "@membus/protocol";
import type { PluginSettings } from "../config/config-schema.js";

/** A plugin that the settings name and that cannot be served. */
export class PluginLoadError extends TypeError {
  /** What to do about it. */
  readonly advice: string;

  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.advice = advice;
  }
}

/**
 * A plugin that the settings name, not opened.
 * @throws {PluginLoadError} for a module that is not there or exports no `createPlugin`, one that fails, and what is no
 * plugin.
 */
export async function loadPlugin(tier: MemoryTier, settings: PluginSettings): Promise<MemoryPlugin> {
  const { module, options, folder } = settings;
  const setting = `plugins.${tier}`;
  const url = await step(setting, `build the plugin, or install its package; paths are from ${folder}`, () =>
    findPluginModule(module, folder),
  );
  const { createPlugin } = await step(
    `${setting}: ${module} cannot be loaded`,
    "name the built module that exports `createPlugin`, as `membus create-plugin` writes one",
    () => loadPluginModule(url),
  );
  const plugin: unknown = await step(
    `${setting}: createPlugin of ${module} failed`,
    `see the plugin's own documentation for what \`${setting}.options\` may say`,
    () => createPlugin(options),
  );
  const problem = pluginProblem(plugin);
  if (problem === undefined) return plugin as MemoryPlugin;
  throw new PluginLoadError(
    `${setting}: createPlugin of ${module} gives no MemoryPlugin: ${problem}`,
    `\`membus conformance plugin ${module} --tier ${tier}\` says what else a plugin needs`,
  );
}

async function step<T>(what: string, advice: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new PluginLoadError(`${what}: ${message}`, advice, { cause });
  }
}
