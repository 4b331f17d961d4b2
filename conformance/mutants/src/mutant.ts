import type { HostParts, PluginUnderTest } from "@membus/conformance";
import type { HostOptions } from "@membus/host";
import type { Bus, MemoryPlugin, MemoryTier } from "@membus/protocol";

interface MutantFacts {
  /** `<area>-<defect>`, unique. */
  readonly id: string;
  /** What is wrong with it, in one sentence. */
  readonly defect: string;
  /** The check that is meant to find it. */
  readonly check: string;
  /** What that check's message must say, so that the defect is found and not something else. */
  readonly names: RegExp;
  /** The tier that checks of one tier run on. Default working. */
  readonly tier?: MemoryTier;
}

/** A plugin with one defect. */
export interface PluginMutant extends MutantFacts {
  readonly route: "plugin";
  createPlugin(): MemoryPlugin;
  /** Where it needs more than the defaults, such as a module to kill. */
  readonly implementation?: Partial<PluginUnderTest>;
}

/** A host with one defect: on its way to the bus, in one of its plugins, or by its options. */
export interface HostMutant extends MutantFacts {
  readonly route: "host";
  /** What the host takes for the bus. */
  bus?(bus: Bus): Bus;
  /** In place of the sound plugins. */
  readonly plugins?: Partial<Record<MemoryTier, () => MemoryPlugin>>;
  readonly options?: HostOptions;
  /** What a host that a check starts makes of the parts it is given. */
  parts?(parts: HostParts): HostParts;
}

export type Mutant = PluginMutant | HostMutant;

export function pluginMutant(mutant: Omit<PluginMutant, "route">): PluginMutant {
  return { ...mutant, route: "plugin" };
}

export function hostMutant(mutant: Omit<HostMutant, "route">): HostMutant {
  return { ...mutant, route: "host" };
}
