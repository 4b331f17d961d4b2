import type { HostParts, PluginUnderTest } from "@membus/conformance";
import type { HostOptions } from "@membus/host";
import type { MemoryTier } from "@membus/protocol";
import type { Bus, MemoryPlugin } from "@membus/protocol/plugin";

interface MutantFacts {
  /** `<area>-<defect>`, unique. */
  readonly id: string;
  /** Defect in one sentence. */
  readonly defect: string;
  /** Id of the check that must detect it. */
  readonly check: string;
  /** Pattern that the check's message must match, so that the defect is found and not another one. */
  readonly names: RegExp;
  /** Tier for checks of one tier. Default working. */
  readonly tier?: MemoryTier;
}

/** A plugin with one defect. */
export interface PluginMutant extends MutantFacts {
  readonly route: "plugin";
  createPlugin(): MemoryPlugin;
  /** Additional options, such as a module to kill. */
  readonly implementation?: Partial<PluginUnderTest>;
}

/** A host with one defect: in its messages, in one of its plugins, or in its options. */
export interface HostMutant extends MutantFacts {
  readonly route: "host";
  /** Wraps the bus of the host. */
  bus?(bus: Bus): Bus;
  /** Replacements for the correct plugins. */
  readonly plugins?: Partial<Record<MemoryTier, () => MemoryPlugin>>;
  readonly options?: HostOptions;
  /** Rewrites the parts of a host that a check starts. */
  parts?(parts: HostParts): HostParts;
}

export type Mutant = PluginMutant | HostMutant;

export function pluginMutant(mutant: Omit<PluginMutant, "route">): PluginMutant {
  return { ...mutant, route: "plugin" };
}

export function hostMutant(mutant: Omit<HostMutant, "route">): HostMutant {
  return { ...mutant, route: "host" };
}
