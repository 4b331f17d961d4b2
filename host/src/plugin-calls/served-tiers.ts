import { type MemoryTier, TIERS } from "@membus/protocol";
import { type MemoryPlugin, pluginProblem } from "@membus/protocol/plugin";
import type { ResolvedHostOptions } from "../options.js";
import { PluginRunner, type PluginRunnerDependencies } from "./plugin-runner.js";

/**
 * Creates a runner for every plugin, in the order of the tiers.
 * @throws {TypeError} For no plugin at all, an unknown tier, an invalid plugin, or one plugin in two tiers.
 */
export function serveTiers(
  plugins: Readonly<Partial<Record<MemoryTier, MemoryPlugin>>>,
  options: ResolvedHostOptions,
  dependencies: PluginRunnerDependencies,
): ReadonlyMap<MemoryTier, PluginRunner> {
  const unknown = Object.keys(plugins).find((name) => !TIERS.some((tier) => tier === name));
  if (unknown !== undefined)
    throw new TypeError(`\`${unknown}\` is not a tier. The tiers are ${TIERS.join(", ")}`);
  const runners = new Map<MemoryTier, PluginRunner>();
  for (const tier of TIERS) {
    const plugin = plugins[tier];
    if (plugin === undefined) continue;
    const problem = pluginProblem(plugin);
    if (problem !== undefined) throw new TypeError(`the plugin of the ${tier} tier is invalid: ${problem}`);
    runners.set(tier, new PluginRunner(tier, plugin, options, dependencies));
  }
  if (runners.size === 0) throw new TypeError("a host needs at least one plugin");
  if (new Set(Object.values(plugins)).size < runners.size) {
    throw new TypeError("a plugin instance can serve only one tier. Create one instance for each tier");
  }
  return runners;
}
