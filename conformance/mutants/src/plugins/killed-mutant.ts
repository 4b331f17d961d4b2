import { type Mutant, type PluginMutant, pluginMutant } from "../mutant.js";

/** Node.js arguments for the killed process. */
export const NODE_ARGUMENTS = ["--conditions", "membus-source", "--import", "tsx"];

/** Defines a mutant that child processes load from a file in `killed`. */
export function killedMutant(
  file: string,
  { createPlugin }: Pick<PluginMutant, "createPlugin">,
  facts: Pick<PluginMutant, "id" | "defect" | "check" | "names">,
): Mutant {
  const module = new URL(`../killed/${file}.ts`, import.meta.url).href;
  const implementation = { module, nodeArguments: NODE_ARGUMENTS };
  return pluginMutant({ ...facts, tier: "episodic", createPlugin, implementation });
}
