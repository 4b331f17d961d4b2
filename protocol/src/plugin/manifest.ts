import { z } from "zod";
import { boundedString } from "../bounded-values.js";

export const PLUGIN_CONTRACT = "1.0";

/**
 * Features of plugins. A declared feature must work. The host refuses requests that need an undeclared
 * feature.
 */
export const FEATURES = Object.freeze({
  similarity: "ranks by meaning: `query` with mode vector or hybrid, and `embedding`",
  full_text: "ranks by words: `query` with mode text or hybrid",
  ttl: "entries expire at `expires_at`",
  durable: "acknowledged entries survive a crash of the host",
  shared: "agents of a tenant share entries",
  conditional: "compare-and-set with `if_revision`",
  eviction: "evicts the least recently used entries instead of returning `memory_full`",
  subtree: "reads and forgets subtrees `a/**`",
  queued: '`ack: "queued"` returns before the embedder has answered',
  fields: "limits the search for query words to the fields in `fields`",
  recency: "ranks newer entries higher with `recency`",
  diversity: "avoids similar entries on a page with `diversity`",
  expand: "returns the neighbours of an entry in its group with `expand`",
  explain: "explains the score of an entry with `explain`",
  rerank: "rescores its best entries with the host's reranker with `rerank`",
  context: "finds an entry by the words of its `context`, with a lower weight than its text",
  absolute: "relevance does not depend on the other results",
  generations: "never compares vectors of different embedders, and re-embeds after a change",
  list: "lists the existing namespaces or the values of a field",
  sources: "stores the entries that an entry was derived from in `sources`",
  cascade: "also forgets derived entries with `cascade`",
  purge: "replies to a forget after its bytes are erased from disk with `purge`",
  erasure: "reports in the status of a forget whether its bytes are erased from disk",
  own_only: "does not overwrite entries of another author with `own_only`",
  snippet: 'returns the best passage of an entry with `include: ["snippet"]`',
  agents: "lists the agents of a tenant that have private entries, for operators",
  approximate: "may search a large partition through an index, says so, and searches everything with `exact`",
});

export type Feature = keyof typeof FEATURES;

/** Features added in version 1.1. A manifest without them does not declare them (clause PLUG-21). */
export const ADDED_FEATURES = [
  "list",
  "sources",
  "cascade",
  "purge",
  "erasure",
  "own_only",
  "snippet",
  "agents",
  "approximate",
] as const satisfies readonly Feature[];

type AddedFeature = (typeof ADDED_FEATURES)[number];

const featureShape = Object.fromEntries(
  Object.keys(FEATURES).map((name) => [
    name,
    ADDED_FEATURES.some((added) => added === name) ? z.boolean().optional() : z.boolean(),
  ]),
) as Record<Exclude<Feature, AddedFeature>, z.ZodBoolean> & Record<AddedFeature, z.ZodOptional<z.ZodBoolean>>;

/**
 * Manifest of a plugin. Every feature of version 1.0 is required and has no default. Features of later
 * versions may be absent.
 */
export const PluginManifestSchema = z
  .object({
    contract: z.literal(PLUGIN_CONTRACT),
    name: boundedString(64).min(1),
    version: boundedString(64).min(1),
    features: z.object(featureShape),
  })
  .meta({ id: "PluginManifest" });

export type PluginManifest = z.infer<typeof PluginManifestSchema>;
