import { importanceFactor } from "@membus/protocol";
import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { rankingBy } from "../reference/ranking.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Found, Row } from "../reference/row.js";
import { scoreMinimumMutants } from "./score-minimum.js";

const isRanked = ({ query, embedding }: PluginRetrieveRequest) =>
  query !== undefined || embedding !== undefined;

/** The reference plugin with other scores. The relevance is the score divided by the factor of the importance. */
function scoring(
  score: (relevance: number, row: Row, isRanked: boolean, all: readonly Found[]) => number,
): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override async find(...[selector, request]: Parameters<ReferencePlugin["find"]>) {
      const found = await super.find(selector, request);
      const ranked = isRanked(request);
      const rescored = found.map(({ row, score: sound }) => ({
        row,
        score: score(ranked ? sound / importanceFactor(row.importance) : 1, row, ranked, found),
      }));
      return rescored.sort((a, b) => this.compare(a, b, request));
    }
  })();
}

export const scoreMutants: readonly Mutant[] = [
  pluginMutant({
    id: "score-one-in-a-listing",
    defect: "without a query the score is 1, regardless of the importance",
    check: "score/is-importance-without-a-query",
    names: /scores in a listing of entries with the importances/,
    createPlugin: () =>
      scoring((relevance, { importance }, ranked) => (ranked ? relevance * importanceFactor(importance) : 1)),
  }),
  pluginMutant({
    id: "score-importance-multiplied",
    defect: "the relevance is multiplied by the importance itself",
    check: "score/is-relevance-times-importance",
    names: /as a share of the first/,
    createPlugin: () => scoring((relevance, { importance }) => relevance * importance),
  }),
  pluginMutant({
    id: "score-over-1",
    defect: "the score grows with the frequency of the word without a limit",
    check: "score/is-within-0-and-1",
    names: /the result of onRetrieve, field entries\.\d+\.score/,
    createPlugin: () =>
      rankingBy((row, { query }, _, sound) => {
        const word = query?.split(" ")[0] ?? "";
        return word === "" ? sound : sound * (1 + 0.2 * (String(row.content).split(word).length - 2));
      }),
  }),
  pluginMutant({
    id: "score-zero-is-hidden",
    defect: "an entry of importance 0 is not found by a query",
    check: "score/total-counts-what-a-query-finds",
    names: /entries and total, with limit 2, of a query in mode text/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async find(...[selector, request]: Parameters<ReferencePlugin["find"]>) {
          const found = await super.find(selector, request);
          return isRanked(request) ? found.filter(({ row }) => row.importance > 0) : found;
        }
      })(),
  }),
  pluginMutant({
    id: "score-reading-is-an-update",
    defect: "a read sets the time of the last update",
    check: "score/is-not-written-by-reading",
    names: /entries of a listing after two queries/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override touch(row: Row) {
          super.touch(row);
          Object.assign(row, { updated: this.now() + 1 });
        }
      })(),
  }),
  pluginMutant({
    id: "score-statistics-shared",
    defect: "the rarity of a word is counted over all partitions",
    check: "score/depends-on-no-other-partition",
    names: /total and scores of the same query after two other namespaces got 30 entries/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override relevance(...args: Parameters<ReferencePlugin["relevance"]>) {
          const rowCount = [...this.partitions.values()].reduce((sum, { rows }) => sum + rows.size, 0);
          return super.relevance(...args) / (1 + Math.log10(rowCount));
        }
      })(),
  }),
  pluginMutant({
    id: "score-relative-to-the-best",
    defect: "scores are relative to the best result",
    check: "score/in-a-subtree-is-that-of-its-namespace",
    names: /scores of the entries of one namespace in a subtree query/,
    createPlugin: () =>
      scoring((relevance, { importance }, ranked, all) => {
        const best = ranked ? Math.max(...all.map((one) => one.score)) : 1;
        return Math.min(1, (relevance * (ranked ? importanceFactor(importance) : importance)) / best);
      }),
  }),
  ...scoreMinimumMutants,
];
