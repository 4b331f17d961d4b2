import {
  type Embedder,
  type Feature,
  MemoryError,
  type MemoryTier,
  type PluginManifest,
} from "@membus/protocol";

export type Features = PluginManifest["features"];

export function offers(features: Features, feature: string): boolean {
  return Object.hasOwn(features, feature) && features[feature as Feature] === true;
}

/** The first of the demanded features that a tier lacks, as the error that refuses the request. */
export function lackOf(
  tier: MemoryTier,
  features: Features,
  demanded: readonly string[],
): MemoryError | undefined {
  const feature = demanded.find((name) => !offers(features, name));
  return feature === undefined ? undefined : notOffered(tier, feature);
}

export function notOffered(tier: MemoryTier, feature: string): MemoryError {
  return new MemoryError("unsupported", `the ${tier} tier does not offer ${feature}`, { tier, feature });
}

export function notServed(tier: MemoryTier): MemoryError {
  return new MemoryError("unsupported", `this host does not serve the ${tier} tier`, { tier });
}

/**
 * Refuses a feature that no tier has; whether the tiers of a request have it is looked at later.
 * @throws {MemoryError} `unsupported`.
 */
export function requireAnywhere(
  served: Iterable<{ readonly features: Features }>,
  names: readonly string[],
): void {
  const all = [...served];
  for (const feature of names) {
    if (all.some(({ features }) => offers(features, feature))) continue;
    throw new MemoryError("unsupported", `no tier of this host offers ${feature}`, {
      feature,
      path: "requires",
    });
  }
}

/**
 * Refuses a caller's vector that is not one of the host's embedder: vectors of different models are never compared
 * (clauses ENTRY-11 and ENTRY-12).
 * @throws {MemoryError} `schema_violation` with the path and what was expected.
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
    refuse("embedding_model", `vectors here are of ${embedder.id}`, { expected: embedder.id });
  }
  const expected = embedder.dimensions;
  const got = given.embedding.length;
  if (got !== expected) refuse("embedding", `has ${got} components, not ${expected}`, { expected, got });
}

function refuse(path: string, why: string, detail: Readonly<Record<string, string | number>>): never {
  throw new MemoryError("schema_violation", `${path}: ${why}`, { path, ...detail });
}
