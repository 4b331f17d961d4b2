import { MemoryError, type MemoryTier } from "@membus/protocol";
import type { Embedder, Feature, PluginManifest } from "@membus/protocol/plugin";

export type Features = PluginManifest["features"];

export function hasFeature(features: Features, feature: string): boolean {
  return Object.hasOwn(features, feature) && features[feature as Feature] === true;
}

/** Returns the error for the first required feature that a tier lacks, or undefined. */
export function missingFeature(
  tier: MemoryTier,
  features: Features,
  required: readonly string[],
): MemoryError | undefined {
  const feature = required.find((name) => !hasFeature(features, name));
  return feature === undefined ? undefined : unsupportedFeatureError(tier, feature);
}

export function unsupportedFeatureError(tier: MemoryTier, feature: string): MemoryError {
  return new MemoryError("unsupported", `the ${tier} tier does not support ${feature}`, { tier, feature });
}

export function tierNotServedError(tier: MemoryTier): MemoryError {
  return new MemoryError("unsupported", `this host does not serve the ${tier} tier`, { tier });
}

/**
 * Refuses a feature that no tier has. The tiers of the request are checked later.
 * @throws {MemoryError} `unsupported`.
 */
export function requireFeaturesInAnyTier(
  served: Iterable<{ readonly features: Features }>,
  names: readonly string[],
): void {
  const all = [...served];
  for (const feature of names) {
    if (all.some(({ features }) => hasFeature(features, feature))) continue;
    throw new MemoryError("unsupported", `no tier of this host supports ${feature}`, {
      feature,
      path: "requires",
    });
  }
}

/**
 * Refuses a caller's vector if it is not from the host's embedder, because vectors of different models are
 * never compared (clauses ENTRY-11 and ENTRY-12).
 * @throws {MemoryError} `schema_violation` with the path and the expected value.
 */
export function checkEmbedding(
  given: {
    readonly embedding?: Float32Array | null | undefined;
    readonly embedding_model?: string | null | undefined;
  },
  embedder: Embedder | undefined,
): void {
  if (!given.embedding) return;
  if (embedder === undefined) refuse("embedding", "this host has no embedder", {});
  if (given.embedding_model !== embedder.id) {
    refuse("embedding_model", `must be ${embedder.id}, the embedder of this host`, { expected: embedder.id });
  }
  const expected = embedder.dimensions;
  const got = given.embedding.length;
  if (got !== expected)
    refuse("embedding", `must have ${expected} components, got ${got}`, { expected, got });
}

function refuse(path: string, reason: string, detail: Readonly<Record<string, string | number>>): never {
  throw new MemoryError("schema_violation", `${path}: ${reason}`, { path, ...detail });
}
