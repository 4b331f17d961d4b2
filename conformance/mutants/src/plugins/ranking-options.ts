import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import type { Found } from "../reference/row.js";
import { SteerablePlugin } from "../reference/steerable-plugin.js";

type Arguments<Method extends "recency" | "relevance" | "find" | "diversify" | "page" | "total"> = Parameters<
  {
    recency: SteerablePlugin["recency"];
    relevance: SteerablePlugin["relevance"];
    find: SteerablePlugin["find"];
    diversify: SteerablePlugin["diversify"];
    page: SteerablePlugin["page"];
    total: SteerablePlugin["total"];
  }[Method]
>;

/** The correct plugin with another relevance. */
function ranking(relevance: (request: PluginRetrieveRequest) => PluginRetrieveRequest): SteerablePlugin {
  return new (class extends SteerablePlugin {
    protected override relevance(...[row, request, vector]: Arguments<"relevance">): number {
      return super.relevance(row, relevance(request), vector);
    }
  })();
}

/** The correct plugin with other scores of query results. */
function rescoring(score: (one: Found, at: number, found: readonly Found[]) => number): SteerablePlugin {
  return new (class extends SteerablePlugin {
    protected override async find(...args: Arguments<"find">) {
      const found = await super.find(...args);
      if (args[1].query === undefined) return found;
      return found.map((one, at) => ({ ...one, score: score(one, at, found) }));
    }
  })();
}

const fieldsMutants: readonly Mutant[] = [
  pluginMutant({
    id: "fields-first-alone",
    defect: "only the first of several `fields` counts",
    check: "fields/words-are-looked-for-where-named",
    names: /ids found by a query with fields \["context","text"\]/,
    createPlugin: () =>
      ranking(({ fields, ...request }) => ({ ...request, ...(fields && { fields: fields.slice(0, 1) }) })),
  }),
  pluginMutant({
    id: "fields-context-of-the-key-alone",
    defect: "with `context` the words of the key are searched instead of the context",
    check: "fields/context-is-not-text",
    names: /ids for walrus in the context/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override relevance(...[row, request, vector]: Arguments<"relevance">): number {
          const searched = request.fields?.includes("context") ? { ...row, context: undefined } : row;
          return super.relevance(searched, request, vector);
        }
      })(),
  }),
];

/** The correct plugin with another effect of an entry's age. */
function aging(
  recency: (request: PluginRetrieveRequest, occurredAt: number, now: number, sound: number) => number,
): SteerablePlugin {
  return new (class extends SteerablePlugin {
    protected override recency(...[row, request]: Arguments<"recency">): number {
      const sound = super.recency(row, request);
      return request.recency ? recency(request, row.occurred_at, this.now(), sound) : sound;
    }
  })();
}

const recencyMutants: readonly Mutant[] = [
  pluginMutant({
    id: "recency-of-the-future",
    defect: "an entry with a future time has a higher score than a current one",
    check: "recency/multiplies-the-score",
    names: /age of -1 half-lives/,
    createPlugin: () =>
      aging(({ recency, as_of }, occurredAt) => {
        const { half_life_s, weight } = recency!;
        return Math.min(1.25, 1 - weight + weight * 0.5 ** ((as_of - occurredAt) / half_life_s));
      }),
  }),
  pluginMutant({
    id: "recency-after-the-order",
    defect: "scores include the recency, but order and `min_score` ignore it",
    check: "recency/decides-order-and-minimum",
    names: /ids, in order, .* with `recency`/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override async find(...[selector, request]: Arguments<"find">) {
          const { recency: _, ...without } = request;
          const found = await super.find(selector, without);
          return found.map(({ row, score }) => ({ row, score: score * this.recency(row, request) }));
        }
      })(),
  }),
  pluginMutant({
    id: "recency-of-each-page",
    defect: "the age of an entry is recomputed on every page",
    check: "recency/age-is-that-on-the-first-page",
    names: /score of the entries of one time on a page, 2 s after the previous page/,
    createPlugin: () =>
      aging(({ recency }, occurredAt, now) => {
        const { half_life_s, weight } = recency!;
        return 1 - weight + weight * 0.5 ** (Math.max(0, now - occurredAt) / half_life_s);
      }),
  }),
];

const diversityMutants: readonly Mutant[] = [
  pluginMutant({
    id: "diversity-all-or-nothing",
    defect: "with any `diversity` above 0, similar entries are never on one page",
    check: "diversity/alike-entries-give-way",
    names: /ids of a page of 2 with diversity 0\.01/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override diversify(...[found, , limit]: Arguments<"diversify">) {
          return super.diversify(found, 1, limit);
        }
      })(),
  }),
  pluginMutant({
    id: "diversity-in-the-order-of-choice",
    defect: "a page is listed in the order of selection",
    check: "diversity/lists-in-the-total-order",
    names: /ids, in order, of a page of 3 with diversity 0\.9/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override diversify(...[found, diversity, limit]: Arguments<"diversify">) {
          const one = super.diversify(found, diversity, Math.min(limit, 2));
          const rest = super.diversify(found, diversity, limit).filter((row) => !one.includes(row));
          return [...one, ...rest];
        }
      })(),
  }),
  pluginMutant({
    id: "diversity-drops-the-first",
    defect: "the page begins with the least similar entry, regardless of its score",
    check: "diversity/keeps-the-first-and-the-total",
    names: /id of the first of a page of 1 of 4 entries/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override diversify(...[found, diversity, limit]: Arguments<"diversify">) {
          return limit === 1 ? found.slice(-1) : super.diversify(found, diversity, limit);
        }
      })(),
  }),
];

/** Mutants with a false declaration of `absolute`. */
const relevanceMutants: readonly Mutant[] = [
  pluginMutant({
    id: "context-declared-alone",
    defect: "`context` is declared, but its words are not searched",
    check: "context/found-for-less-than-text",
    names: /score of an entry with the query's word in its context/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override relevance(...[row, request, vector]: Arguments<"relevance">): number {
          return super.relevance({ ...row, context: undefined }, request, vector);
        }
      })(),
  }),
  pluginMutant({
    id: "absolute-share-of-the-best",
    defect: "relevance is relative to the best result",
    check: "absolute/relevance-is-of-query-and-entry",
    names: /score of the same entry for the same query with its key/,
    createPlugin: () =>
      rescoring((one, _, found) => one.score / Math.max(...found.map(({ score }) => score))),
  }),
  pluginMutant({
    id: "absolute-falls-with-the-partition",
    defect: "relevance is divided by the number of entries in the partition",
    check: "absolute/other-words-change-little",
    names: /score of it after 60 entries/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override relevance(...[row, request, vector]: Arguments<"relevance">): number {
          return super.relevance(row, request, vector) / this.partition(row.scope).rows.size;
        }
      })(),
  }),
  pluginMutant({
    id: "absolute-any-word-will-do",
    defect: "an entry with one word of the query is as relevant as one with several",
    check: "absolute/further-word-higher-score",
    names: /score of "heron reeds pond" for "heron reeds"/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override relevance(...[row, request, vector]: Arguments<"relevance">): number {
          return super.relevance(row, request, vector) > 0 ? 0.5 : 0;
        }
      })(),
  }),
];

export const rankingOptionMutants: readonly Mutant[] = [
  ...fieldsMutants,
  ...recencyMutants,
  ...diversityMutants,
  ...relevanceMutants,
];
