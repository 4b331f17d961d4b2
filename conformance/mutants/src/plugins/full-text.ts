import { deriveText } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { rankingBy } from "../reference/ranking.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";

const textOf = (row: Row) => row.text ?? deriveText(row.content);

export const fullTextMutants: readonly Mutant[] = [
  pluginMutant({
    id: "full-text-prefixes",
    defect: "a word is found by its beginning",
    check: "full-text/finds-whole-words",
    names: /ids for the query "cat" in mode text/,
    createPlugin: () =>
      rankingBy((row, { query, mode }, _, sound) => {
        const words = textOf(row).split(/[^\p{L}\p{N}]+/u);
        return mode === "text" && query !== undefined
          ? Math.max(sound, Number(words.some((word) => word.startsWith(query))))
          : sound;
      }),
  }),
  pluginMutant({
    id: "full-text-nothing-finds-all",
    defect: "a query without results is dropped, and everything is listed",
    check: "full-text/nothing-in-common-is-not-found",
    names: /ids and total of a query in mode text without any word/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async find(...[selector, request]: Parameters<ReferencePlugin["find"]>) {
          const found = await super.find(selector, request);
          if (found.length > 0 || request.query === undefined) return found;
          const { query: _, ...listing } = request;
          return super.find(selector, { ...listing, order: "newest" });
        }
      })(),
  }),
  pluginMutant({
    id: "full-text-any-word-counts-alike",
    defect: "an entry with one word of the query is as relevant as one with all",
    check: "full-text/more-of-the-words-rank-higher",
    names: /ids for the query "heron violet lake" in mode text/,
    createPlugin: () => rankingBy((_, __, ___, sound) => (sound > 0 ? 0.5 : 0)),
  }),
  pluginMutant({
    id: "full-text-group-and-time-ignored",
    defect: "with a query, the full-text index filters only by tags and keys",
    check: "full-text/criteria-narrow-a-query",
    names: /ids of a query in mode text with \{"(group|since|where)"/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async find(...[selector, request]: Parameters<ReferencePlugin["find"]>) {
          const { query, filter } = request;
          if (query === undefined || !("all" in filter)) return super.find(selector, request);
          const all = filter.all.filter(
            (one) => !("field" in one) || !["group", "occurred_at"].includes(one.field),
          );
          return super.find(selector, { ...request, filter: { all } });
        }
      })(),
  }),
  pluginMutant({
    id: "full-text-filter-after-limit",
    defect: "the best entries for the words are limited first and filtered afterwards",
    check: "full-text/criteria-apply-before-limit",
    names: /importances of a query with a tag and limit 2/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async find(...[selector, request]: Parameters<ReferencePlugin["find"]>) {
          if (request.query === undefined) return super.find(selector, request);
          const best = await super.find(selector, { ...request, filter: { all: [] } });
          return best.slice(0, request.limit).filter(({ row }) => this.isSelected(row, request));
        }
      })(),
  }),
  pluginMutant({
    id: "full-text-useless-in-hybrid",
    defect: "mode hybrid only ranks by vectors, and finds no entry without an embedder",
    check: "full-text/hybrid-without-similarity-uses-words",
    names: /ids for the query "heron" with mode/,
    implementation: { embedder: null },
    createPlugin: () => rankingBy((_, { mode }, __, sound) => (mode === "hybrid" ? 0 : sound)),
  }),
];
