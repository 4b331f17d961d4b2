import type { EntryExplanation } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { type Choice, type RankedRow, SteerablePlugin } from "../reference/steerable-plugin.js";

type Arguments<
  Method extends
    | "neighbourRows"
    | "reachable"
    | "neighbour"
    | "explanation"
    | "ranking"
    | "rescore"
    | "rerank",
> = Parameters<
  {
    neighbourRows: SteerablePlugin["neighbourRows"];
    reachable: SteerablePlugin["reachable"];
    neighbour: SteerablePlugin["neighbour"];
    explanation: SteerablePlugin["explanation"];
    ranking: SteerablePlugin["ranking"];
    rescore: SteerablePlugin["rescore"];
    rerank: SteerablePlugin["rerank"];
  }[Method]
>;

const expandMutants: readonly Mutant[] = [
  pluginMutant({
    id: "expand-before-nearest-first",
    defect: "the neighbours before an entry are listed from the nearest on",
    check: "expand/nearest-of-the-group-by-seq",
    names: /ids of neighbours of 4 with expand/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override neighbourRows(...args: Arguments<"neighbourRows">) {
          const { before, after } = super.neighbourRows(...args);
          return { before: before.toReversed(), after };
        }
      })(),
  }),
  pluginMutant({
    id: "expand-without-a-group",
    defect: "entries without a group are treated as one group",
    check: "expand/nearest-of-the-group-by-seq",
    names: /ids of neighbours of alone with expand/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override neighbourRows(...[row, expand]: Arguments<"neighbourRows">) {
          if (row.group !== undefined) return super.neighbourRows(row, expand);
          const others = this.reachable(row).filter(({ seq }) => seq < row.seq);
          return { before: others.slice(-1), after: [] };
        }
      })(),
  }),
  pluginMutant({
    id: "expand-in-all-namespaces",
    defect: "a group covers all namespaces",
    check: "expand/whatever-the-criteria-select",
    names: /neighbours of the one entry with a tag/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override reachable(): ReturnType<SteerablePlugin["reachable"]> {
          return [...this.partitions.values()].flatMap(({ rows }) => [...rows.values()]);
        }
      })(),
  }),
  pluginMutant({
    id: "expand-context-always",
    defect: "neighbours are always returned with their context",
    check: "expand/whatever-the-criteria-select",
    names: /`context` of a neighbour without `include`/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override neighbour(...[row, include]: Arguments<"neighbour">) {
          return super.neighbour(row, [...include, "context"]);
        }
      })(),
  }),
  pluginMutant({
    id: "expand-score-of-the-query",
    defect: "neighbours have a score of 1",
    check: "expand/score-is-the-importance-in-a-ranking-too",
    names: /scores of the neighbours of a query result/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override neighbour(...args: Arguments<"neighbour">) {
          return { ...super.neighbour(...args), score: 1 };
        }
      })(),
  }),
  pluginMutant({
    id: "expand-ended-too",
    defect: "expired entries are neighbours until they are cleaned up",
    check: "expand/none-that-has-ended",
    names: /neighbours before the third of a group, 2 s after/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override sweep(): void {}

        protected override reachable(...[row]: Arguments<"reachable">) {
          return [...this.partition(row.scope).rows.values()];
        }
      })(),
  }),
];

/** The correct plugin with changed explanations. */
function withExplanation(
  change: (sound: EntryExplanation, found: RankedRow) => Partial<EntryExplanation>,
): SteerablePlugin {
  return new (class extends SteerablePlugin {
    protected override explanation(...[found, request, vector]: Arguments<"explanation">): EntryExplanation {
      const sound = super.explanation(found, request, vector);
      return { ...sound, ...change(sound, found) };
    }
  })();
}

const explainMutants: readonly Mutant[] = [
  pluginMutant({
    id: "explain-relevance-with-importance",
    defect: "the relevance in an explanation includes the importance",
    check: "explain/parts-make-the-score",
    names: /product of the parts of an entry of importance 0\.5/,
    createPlugin: () =>
      withExplanation(({ relevance, importance }) => ({ relevance: relevance * importance })),
  }),
  pluginMutant({
    id: "explain-recency-of-1",
    defect: "an explanation omits the recency",
    check: "explain/names-the-recency",
    names: /recency in the explanation of an entry/,
    createPlugin: () => withExplanation(() => ({ recency: 1 })),
  }),
  pluginMutant({
    id: "explain-all-terms",
    defect: "every term of the query is listed for every entry",
    check: "explain/terms-add-up",
    names: /number of the terms of the entry one/,
    createPlugin: () =>
      withExplanation(({ terms }) => ({
        terms: [
          ...terms,
          ...(terms.length === 1 ? [{ term: "grey", weight: 0.5, score: 0, fields: [] }] : []),
        ],
      })),
  }),
  pluginMutant({
    id: "explain-fields-of-text-alone",
    defect: "every term is reported in the field text",
    check: "explain/terms-add-up",
    names: /fields of a term of the entry key/,
    createPlugin: () =>
      withExplanation(
        ({ terms }) => ({ terms: terms.map((term) => ({ ...term, fields: ["text"] as const })) }) as never,
      ),
  }),
  pluginMutant({
    id: "explain-lexical-is-something-else",
    defect: "the lexical part is the score of the best term, not the sum",
    check: "explain/terms-add-up",
    names: /lexical of the entry both/,
    createPlugin: () =>
      withExplanation(({ terms }) => ({ lexical: Math.max(0, ...terms.map(({ score }) => score)) })),
  }),
  pluginMutant({
    id: "explain-candidates-on-the-page",
    defect: "the candidates are the entries with a word of the query, not the entries that meet the criteria",
    check: "explain/tells-how-the-tier-ranked",
    names: /tier and candidates in the explanation/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override ranking(...[selector, request, vector]: Arguments<"ranking">) {
          const rows = this.select(selector, request);
          const candidates = rows.filter((row) => this.relevance(row, request, vector) > 0).length;
          return { ...super.ranking(selector, request, vector), candidates };
        }
      })(),
  }),
];

const rerankMutants: readonly Mutant[] = [
  pluginMutant({
    id: "rerank-without-importance",
    defect: "the reranker's score is used without the importance",
    check: "rerank/takes-the-place-of-relevance",
    names: /score of the entry that the reranker gives/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override rescore(...args: Arguments<"rescore">) {
          return { ...super.rescore(...args), score: args[1] };
        }
      })(),
  }),
  pluginMutant({
    id: "rerank-of-sixty",
    defect: "more entries are reranked than the protocol allows",
    check: "rerank/scores-fifty-at-most",
    names: /entries of a retrieve with `rerank` and limit 60/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override rerankCount(): number {
          return 100;
        }
      })(),
  }),
  pluginMutant({
    id: "rerank-failure-is-silent",
    defect: "the page does not report a failure of the reranker",
    check: "rerank/without-the-reranker",
    names: /codes in `degraded` with `rerank` and the reranker error unavailable/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override withoutReranker(...[all]: Parameters<SteerablePlugin["withoutReranker"]>): Choice {
          return { found: all };
        }
      })(),
  }),
  pluginMutant({
    id: "rerank-failure-is-empty",
    defect: "if the reranker does not answer, no entry is returned",
    check: "rerank/does-not-wait-for-ever",
    names: /ids, in order, with `rerank` and a reranker that does not answer/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override withoutReranker(...args: Parameters<SteerablePlugin["withoutReranker"]>): Choice {
          return args[1]?.message.includes("timed out")
            ? { ...super.withoutReranker(...args), found: [] }
            : super.withoutReranker(...args);
        }
      })(),
  }),
];

export const rankingResultMutants: readonly Mutant[] = [
  ...expandMutants,
  ...explainMutants,
  ...rerankMutants,
];
