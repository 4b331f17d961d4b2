import { z } from "zod";
import { boundedString } from "../bounded-values.js";

export const PLUGIN_CONTRACT = "1.0";

/** What a plugin may or may not offer. Declared features must work; undeclared ones that a request demands are refused. */
export const FEATURES = Object.freeze({
  similarity: "ranks by meaning: `query` with mode vector or hybrid, and `embedding`",
  full_text: "ranks by words: `query` with mode text or hybrid",
  ttl: "entries end at `expires_at`",
  durable: "what was acknowledged survives a crash of the host",
  shared: "agents of a tenant see each other's entries",
  conditional: "compare-and-set by `if_revision`",
  eviction: "drops the least recently used entries instead of answering `memory_full`",
  subtree: "reads and forgets `a/**`",
  queued: '`ack: "queued"` returns before the embedder has answered',
  fields: "looks for the words of a query where `fields` says",
  recency: "counts newer entries for more by `recency`",
  diversity: "does not fill a page with entries that are alike, by `diversity`",
  expand: "returns the neighbours of an entry in its group, by `expand`",
  explain: "tells why an entry has its score, by `explain`",
  rerank: "scores its best entries anew with the host's reranker, by `rerank`",
  context: "finds an entry by the words of its `context`, for less than those of its text",
  absolute: "relevance does not depend on what else is found",
  generations: "never compares vectors of different embedders, and embeds anew after a change",
  list: "tells which namespaces, or values of a field, there are",
  sources: "keeps which entries an entry was derived from, by `sources`",
  cascade: "forgets what was derived from what it forgets too, by `cascade`",
  purge: "answers a forget when its bytes are gone from disk, by `purge`",
  erasure: "tells whether the bytes that a forget took are gone from disk, by its status",
  own_only: "stores over no entry of another author, by `own_only`",
});

export type Feature = keyof typeof FEATURES;

/** What version 1.1 added: a manifest that does not name it does not declare it (clause PLUG-21). */
export const ADDED_FEATURES = [
  "list",
  "sources",
  "cascade",
  "purge",
  "erasure",
  "own_only",
] as const satisfies readonly Feature[];

type AddedFeature = (typeof ADDED_FEATURES)[number];

const featureShape = Object.fromEntries(
  Object.keys(FEATURES).map((name) => [
    name,
    ADDED_FEATURES.some((added) => added === name) ? z.boolean().optional() : z.boolean(),
  ]),
) as Record<Exclude<Feature, AddedFeature>, z.ZodBoolean> & Record<AddedFeature, z.ZodOptional<z.ZodBoolean>>;

/** Every feature of version 1.0 by name, true or false: no defaults. What a later version added is left out. */
export const PluginManifestSchema = z
  .object({
    contract: z.literal(PLUGIN_CONTRACT),
    name: boundedString(64).min(1),
    version: boundedString(64).min(1),
    features: z.object(featureShape),
  })
  .meta({ id: "PluginManifest" });

export type PluginManifest = z.infer<typeof PluginManifestSchema>;
