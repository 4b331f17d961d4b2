import { type Embedder, FEATURES, LIMITS, type MemoryTier, PROTOCOL_VERSION } from "@membus/protocol";
import { offers } from "./features.js";
import type { ResolvedHostOptions } from "./options.js";
import type { PluginRunner } from "./plugin-runner.js";

export type HostState = "created" | "starting" | "serving" | "stopping" | "stopped";

export interface ServiceFacts {
  readonly state: HostState;
  /** How long it has served; 0 before. */
  readonly servingMs: number;
  readonly options: ResolvedHostOptions;
  readonly tiers: ReadonlyMap<MemoryTier, PluginRunner>;
  readonly embedder: Embedder | undefined;
}

/** What discovery says of a host: lists with commas, `plugins` (manifest by tier) and `limits` as JSON. */
export function serviceMetadata(facts: ServiceFacts): Record<string, string> {
  const { state, servingMs, options, tiers, embedder } = facts;
  const runners = [...tiers.values()];
  const features = Object.keys(FEATURES).filter((name) =>
    runners.some((runner) => offers(runner.features, name)),
  );
  const manifests = Object.fromEntries(runners.map(({ tier, plugin }) => [tier, plugin.manifest]));
  return {
    protocol_version: PROTOCOL_VERSION,
    state,
    serving_ms: String(servingMs),
    prefix: options.prefix,
    tenants: options.tenants.join(","),
    tiers: [...tiers.keys()].join(","),
    features: features.join(","),
    plugins: JSON.stringify(manifests),
    limits: JSON.stringify(LIMITS),
    ...(embedder && { embedder_id: embedder.id, embedder_dimensions: String(embedder.dimensions) }),
  };
}
