import type { MemoryTier } from "@membus/protocol";
import {
  findPluginModule,
  loadPluginModule,
  type MemoryPlugin,
  pluginProblem,
} from "@membus/protocol/plugin";
import type { PluginSettings } from "../config/config-schema.js";

/** A configured plugin cannot be used. */
export class PluginLoadError extends TypeError {
  /** Suggested fix. */
  readonly advice: string;

  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.advice = advice;
  }
}

/**
 * Loads a configured plugin without opening it.
 * @throws {PluginLoadError} if the module is missing, exports no `createPlugin`, fails, or does not return a
 * plugin.
 */
export async function loadPlugin(tier: MemoryTier, settings: PluginSettings): Promise<MemoryPlugin> {
  const { module, options, folder } = settings;
  const setting = `plugins.${tier}`;
  const url = await withAdvice(
    setting,
    `build the plugin or install its package. Paths are relative to ${folder}`,
    () => findPluginModule(module, folder),
  );
  const { createPlugin } = await withAdvice(
    `${setting}: cannot load ${module}`,
    "name the built module that exports `createPlugin`, such as one written by `membus create-plugin`",
    () => loadPluginModule(url),
  );
  const plugin: unknown = await withAdvice(
    `${setting}: createPlugin of ${module} failed`,
    `see the documentation of the plugin for the supported \`${setting}.options\``,
    () => createPlugin(options),
  );
  const problem = pluginProblem(plugin);
  if (problem === undefined) return plugin as MemoryPlugin;
  throw new PluginLoadError(
    `${setting}: createPlugin of ${module} did not return a MemoryPlugin: ${problem}`,
    `run \`membus conformance plugin ${module} --tier ${tier}\` to test the plugin`,
  );
}

async function withAdvice<T>(what: string, advice: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new PluginLoadError(`${what}: ${message}`, advice, { cause });
  }
}
