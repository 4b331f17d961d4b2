import { importanceFactor, type ScopeSelector } from "@membus/protocol";
import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

/** The reference plugin with a changed `min_score`. */
function withMinimum(minimum: (request: PluginRetrieveRequest) => number): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override isFound(...[score, request, isRanked]: Parameters<ReferencePlugin["isFound"]>) {
      return super.isFound(score, { ...request, min_score: minimum(request) }, isRanked);
    }
  })();
}

/** The reference plugin that applies `min_score` after the limit. */
function minimumAfterLimit(applies: (request: PluginRetrieveRequest) => boolean): ReferencePlugin {
  return new (class extends ReferencePlugin {
    override async onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest) {
      if (!applies(request)) return super.onRetrieve(selector, request);
      const { entries, ...page } = await super.onRetrieve(selector, { ...request, min_score: 0 });
      return { ...page, entries: entries.filter(({ score }) => score >= request.min_score) };
    }
  })();
}

const isRanked = ({ query, embedding }: PluginRetrieveRequest) =>
  query !== undefined || embedding !== undefined;

export const scoreMinimumMutants: readonly Mutant[] = [
  pluginMutant({
    id: "score-minimum-of-listings-ignored",
    defect: "without a query `min_score` is ignored",
    check: "score/minimum-without-a-query",
    names: /with the score of the second as min_score/,
    createPlugin: () => withMinimum((request) => (isRanked(request) ? request.min_score : 0)),
  }),
  pluginMutant({
    id: "score-minimum-in-text-ignored",
    defect: "in mode text `min_score` is ignored",
    check: "score/minimum-in-mode-text",
    names: /importances .* in mode text, with the score of the second as min_score/,
    createPlugin: () => withMinimum(({ mode, min_score }) => (mode === "text" ? 0 : min_score)),
  }),
  pluginMutant({
    id: "score-minimum-in-vector-ignored",
    defect: "in mode vector `min_score` is ignored",
    check: "score/minimum-in-mode-vector",
    names: /importances .* in mode vector, with the score of the second as min_score/,
    createPlugin: () => withMinimum(({ mode, min_score }) => (mode === "vector" ? 0 : min_score)),
  }),
  pluginMutant({
    id: "score-minimum-of-relevance",
    defect: "`min_score` is compared with the relevance, before importance is multiplied in",
    check: "score/minimum-in-mode-hybrid",
    names: /importances .* in mode hybrid, with the score of the second as min_score/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async find(...[selector, request]: Parameters<ReferencePlugin["find"]>) {
          if (!isRanked(request) || request.mode !== "hybrid") return super.find(selector, request);
          const found = await super.find(selector, { ...request, min_score: 0 });
          return found.filter(
            ({ score, row }) => score / importanceFactor(row.importance) >= request.min_score,
          );
        }
      })(),
  }),
  pluginMutant({
    id: "score-minimum-after-limit",
    defect: "a listing is limited first, and `min_score` is applied afterwards",
    check: "score/minimum-applies-before-limit",
    names: /ids by newest with limit 2 and nine tenths of the score/,
    createPlugin: () => minimumAfterLimit((request) => !isRanked(request)),
  }),
  pluginMutant({
    id: "score-minimum-of-a-query-after-limit",
    defect: "query results are limited first, and `min_score` is applied afterwards",
    check: "score/minimum-of-a-query-applies-before-limit",
    names: /ids by newest with limit 2 and nine tenths of the score/,
    createPlugin: () => minimumAfterLimit(isRanked),
  }),
];
