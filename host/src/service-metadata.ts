import { type Embedder, FEATURES, LIMITS, type MemoryTier, PROTOCOL_VERSION } from "@membus/protocol";
import { offers } from "./features.js";
import type { ResolvedHostOptions } from "./options.js";
import type { PluginRunner } from "./plugin-runner.js";

export type HostState = "created" | "starting" | "serving" | "stopping" | "stopped";

export interface ServiceFacts {
  readonly state: HostState;
  readonly options: ResolvedHostOptions;
  readonly tiers: ReadonlyMap<MemoryTier, PluginRunner>;
  readonly embedder: Embedder | undefined;
}

/** What discovery says of a host: lists with commas, `plugins` (manifest by tier) and `limits` as JSON. */
export function serviceMetadata({ state, options, tiers, embedder }: ServiceFacts): Record<string, string> {
  const runners = [...tiers.values()];
  const features = Object.keys(FEATURES).filter((name) =>
    runners.some((runner) => offers(runner.features, name)),
  );
  const manifests = Object.fromEntries(runners.map(({ tier, plugin }) => [tier, plugin.manifest]));
  return {
    protocol_version: PROTOCOL_VERSION,
    state,
    prefix: options.prefix,
    tenants: options.tenants.join(","),
    tiers: [...tiers.keys()].join(","),
    features: features.join(","),
    plugins: JSON.stringify(manifests),
    limits: JSON.stringify(LIMITS),
    ...(embedder && { embedder_id: embedder.id, embedder_dimensions: String(embedder.dimensions) }),
  };
}
