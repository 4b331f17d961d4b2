import type { ScopeSelector } from "@membus/protocol";
import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import { rewriteRequests } from "../hosts/intercept.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { byVector, rankingBy } from "../reference/ranking.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import { dotProduct } from "../reference/relevance.js";
import type { Found } from "../reference/row.js";

const NEIGHBOURS = 10;

/** The reference plugin without text search. */
class WordlessPlugin extends ReferencePlugin {
  protected override features() {
    return { ...super.features(), full_text: false };
  }
}

/** The reference plugin that treats one mode as hybrid. */
class HybridPlugin extends ReferencePlugin {
  readonly #ignored: PluginRetrieveRequest["mode"];

  constructor(ignored: PluginRetrieveRequest["mode"]) {
    super();
    this.#ignored = ignored;
  }

  override onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest) {
    const mode = request.mode === this.#ignored ? "hybrid" : request.mode;
    return super.onRetrieve(selector, { ...request, mode });
  }
}

const isRanked = ({ query, embedding }: PluginRetrieveRequest) =>
  query !== undefined || embedding !== undefined;

/** Replaces the vector of requests with a vector of the embedder's dimensions. */
function vectorBecomes(
  change: (fields: { embedding: readonly number[]; embedding_model?: unknown }) => object,
) {
  return (bus: Parameters<typeof rewriteRequests>[0]) =>
    rewriteRequests(bus, (fields) => {
      const { type, embedding, embedding_model } = fields;
      if (type !== "memory/retrieve/req" || !Array.isArray(embedding)) return fields;
      return { ...fields, ...change({ embedding: embedding as number[], embedding_model }) };
    });
}

const DIMENSIONS = 64;

const pluginMutants: readonly Mutant[] = [
  pluginMutant({
    id: "similarity-query-vector-ignored",
    defect: "all entries with a vector are equally near",
    check: "similarity/nearest-vector-first",
    names: /degrees, in order, of entries with vectors/,
    createPlugin: () =>
      rankingBy((row, { mode }, vector, sound) => (mode === "vector" && vector && row.vector ? 0.5 : sound)),
  }),
  pluginMutant({
    id: "similarity-dot-product",
    defect: "vectors are compared by their dot product, so that a long one is near to all",
    check: "similarity/only-the-direction-counts",
    names: /degrees, in order, for an embedding at 0/,
    createPlugin: () =>
      rankingBy(({ vector: own }, request, vector, sound) =>
        request.mode === "vector" && own && vector ? Math.min(1, dotProduct(own, vector) / 100) : sound,
      ),
  }),
  pluginMutant({
    id: "similarity-long-queries-nearer",
    defect: "the length of a query's vector counts",
    check: "similarity/only-the-direction-counts",
    names: /scores for an embedding of length 7/,
    createPlugin: () =>
      rankingBy((_row, request, vector, sound) =>
        request.mode === "vector" && vector
          ? Math.min(1, sound * Math.sqrt(dotProduct(vector, vector)))
          : sound,
      ),
  }),
  pluginMutant({
    id: "similarity-queries-not-embedded",
    defect: "only given vectors are compared, and the text of a query is not embedded",
    check: "similarity/same-text-first",
    names: /first id of a query in mode vector/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async queryVector({ embedding }: PluginRetrieveRequest) {
          return embedding;
        }
      })(),
  }),
  pluginMutant({
    id: "similarity-filter-after-neighbours",
    defect: "the ten nearest entries of the vector index are filtered afterwards",
    check: "similarity/criteria-apply-before-limit",
    names: /degrees of an embedding with a tag and limit 2/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async find(...[selector, request]: Parameters<ReferencePlugin["find"]>) {
          if (request.embedding === undefined) return super.find(selector, request);
          const nearest: Found[] = await super.find(selector, { ...request, filter: { all: [] } });
          return nearest.slice(0, NEIGHBOURS).filter(({ row }) => this.isSelected(row, request));
        }
      })(),
  }),
  pluginMutant({
    id: "similarity-mode-vector-ignored",
    defect: "mode vector is ignored, and words count too",
    check: "similarity/modes-use-what-they-say",
    names: /first id for a query and an embedding in mode vector/,
    createPlugin: () => new HybridPlugin("vector"),
  }),
  pluginMutant({
    id: "similarity-hybrid-of-vectors-alone",
    defect: "mode hybrid ignores words if there is an embedder",
    check: "similarity/modes-use-what-they-say",
    names: /ids for a query and an embedding in mode hybrid/,
    createPlugin: () =>
      rankingBy((row, request, vector, sound) =>
        request.mode === "hybrid" && isRanked(request) ? byVector(row, request, vector) : sound,
      ),
  }),
  pluginMutant({
    id: "similarity-embedding-of-the-found",
    defect: "`embedding` is always returned in the results of an embedding",
    check: "similarity/embedding-only-on-demand",
    names: /whether `embedding` is returned in the results of an embedding/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...[found, request]: Parameters<ReferencePlugin["page"]>) {
          const include = request.embedding === undefined ? request.include : (["embedding"] as const);
          return super.page(found, { ...request, include });
        }
      })(),
  }),
  pluginMutant({
    id: "similarity-embedding-rounded",
    defect: "the vector of an entry is returned normalised and rounded to hundredths",
    check: "similarity/embedding-only-on-demand",
    names: /`embedding` of an entry that was stored with one/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override entry(...args: Parameters<ReferencePlugin["entry"]>) {
          const { embedding, ...entry } = super.entry(...args);
          if (embedding === undefined) return entry;
          return { ...entry, embedding: embedding.map((component) => Math.round(component * 100) / 100) };
        }
      })(),
  }),
  pluginMutant({
    id: "similarity-useless-in-hybrid",
    defect: "mode hybrid needs words, and finds no entry on a tier without full_text",
    check: "similarity/hybrid-without-full-text-uses-vectors",
    names: /first id of a query with the text of id 1/,
    createPlugin: () =>
      new (class extends WordlessPlugin {
        protected override relevance(...[row, request, vector]: Parameters<ReferencePlugin["relevance"]>) {
          return request.mode === "hybrid" ? 0 : super.relevance(row, request, vector);
        }
      })(),
  }),
];

const hostMutants: readonly Mutant[] = [
  hostMutant({
    id: "similarity-vectors-padded",
    defect: "a vector with too few components is filled up with zeros",
    check: "similarity/other-vectors-are-refused",
    names: /with one component too few/,
    bus: vectorBecomes(({ embedding }) => ({
      embedding: [...embedding, ...new Array<number>(Math.max(0, DIMENSIONS - embedding.length)).fill(0)],
    })),
  }),
  hostMutant({
    id: "similarity-vectors-cut",
    defect: "a vector with too many components is cut",
    check: "similarity/other-vectors-are-refused",
    names: /with one component too many/,
    bus: vectorBecomes(({ embedding }) => ({ embedding: embedding.slice(0, DIMENSIONS) })),
  }),
  hostMutant({
    id: "similarity-models-mixed",
    defect: "vectors of any model with the same dimensions are compared",
    check: "similarity/other-vectors-are-refused",
    names: /with the name of another model/,
    bus: vectorBecomes(({ embedding_model }) => ({
      embedding_model: embedding_model && String(embedding_model).replace(/-other$/, ""),
    })),
  }),
];

export const similarityMutants: readonly Mutant[] = [...pluginMutants, ...hostMutants];
