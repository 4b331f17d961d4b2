import { MemoryError } from "@membus/protocol";
import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { byVector, byWords, rankingBy } from "../reference/ranking.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import { textOf } from "../reference/relevance.js";

/** The reference plugin with rewritten queries. */
function reading(
  read: (query: string) => string,
  isRead: (request: PluginRetrieveRequest) => boolean = () => true,
): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      override async onRetrieve(...[selector, request]: Parameters<ReferencePlugin["onRetrieve"]>) {
        const { query } = request;
        if (query === undefined || !isRead(request)) return super.onRetrieve(selector, request);
        return super.onRetrieve(selector, { ...request, query: read(query) });
      }
    })();
}

function refuse(what: string): never {
  throw new Error(what);
}

/** Parses a text as a pattern. Throws for an invalid one. */
function asPattern(query: string): RegExp {
  return new RegExp(query, "i");
}

const isText = ({ mode }: PluginRetrieveRequest) => mode === "text";

export const queryTextMutants: readonly Mutant[] = [
  pluginMutant({
    id: "query-with-open-quotes",
    defect: "a query is passed unchanged to an engine that refuses unclosed quotes",
    check: "full-text/operators-are-words",
    names: /onRetrieve threw Error: unterminated string/,
    createPlugin: reading((query) => (query.split('"').length % 2 ? query : refuse("unterminated string"))),
  }),
  pluginMutant({
    id: "query-with-not",
    defect: "NOT and a minus before a word exclude the entries with it",
    check: "full-text/operators-are-words",
    names: /entries found by the query `heron NOT train`|entries found by the query "-heron"/,
    createPlugin: () =>
      rankingBy((row, request, _, sound) => {
        const excluded = [...(request.query ?? "").matchAll(/(?:NOT |(?:^| )-)(\p{L}+)/gu)].map(
          ([, word]) => word,
        );
        return excluded.some((word) => textOf(row).includes(word!)) ? 0 : sound;
      }),
  }),
  pluginMutant({
    id: "query-with-and",
    defect: "AND between words requires both",
    check: "full-text/operators-are-words",
    names: /entries found by the query "heron AND violin"/,
    createPlugin: () =>
      rankingBy((row, request, _, sound) => {
        const parts = (request.query ?? "").split(/ AND /);
        const hasAll = parts.every((query) => byWords(row, { ...request, query }) > 0);
        return parts.length === 1 || hasAll ? sound : 0;
      }),
  }),
  pluginMutant({
    id: "query-names-columns",
    defect: "a word followed by a colon names a column to search, which does not exist",
    check: "full-text/operators-are-words",
    names: /onRetrieve threw Error: no such column: violin/,
    createPlugin: reading((query) => {
      const column = /^(\w+):\w/.exec(query)?.[1];
      return column === undefined ? query : refuse(`no such column: ${column}`);
    }),
  }),
  pluginMutant({
    id: "query-ends-at-nul",
    defect: "a query is passed as a NUL-terminated text, and one that contains a NUL is refused",
    check: "full-text/operators-are-words",
    names: /onRetrieve threw Error: invalid byte sequence/,
    createPlugin: reading((query) =>
      query.includes("\u0000") ? refuse("invalid byte sequence: 0x00") : query,
    ),
  }),
  pluginMutant({
    id: "query-is-a-phrase",
    defect: "a query in quotes only finds entries with adjacent words",
    check: "full-text/operators-are-words",
    names: /entries found by the query "\\"heron violin\\""/,
    createPlugin: () =>
      rankingBy((row, { query = "" }, _, sound) => {
        const phrase = /^"(\w+ \w+)"$/.exec(query)?.[1];
        return phrase === undefined || textOf(row).includes(phrase) ? sound : 0;
      }),
  }),
  pluginMutant({
    id: "query-without-words-finds-all",
    defect: "a query without words is ignored, and finds everything",
    check: "full-text/signs-find-nothing",
    names: /entries and total of the query "\?\?\?"/,
    createPlugin: () =>
      rankingBy((_row, { query = "" }, _vector, sound) => (/[\p{L}\p{N}]/u.test(query) ? sound : 0.5)),
  }),
  pluginMutant({
    id: "query-with-prefixes",
    defect: "a star after letters finds the words that begin with them",
    check: "full-text/signs-find-nothing",
    names: /entries and total of the query "her\*"/,
    createPlugin: () =>
      rankingBy((row, { query = "" }, _, sound) => {
        const prefix = /^(\w+)\*$/.exec(query)?.[1];
        return prefix !== undefined &&
          textOf(row)
            .split(" ")
            .some((word) => word.startsWith(prefix))
          ? 0.5
          : sound;
      }),
  }),
  pluginMutant({
    id: "query-with-like",
    defect: "words are searched with LIKE, in which percent signs and underscores are wildcards",
    check: "full-text/signs-find-nothing",
    names: /entries and total of the query "(%|_|h_ron|her%)"/,
    createPlugin: () =>
      rankingBy((row, { query = "" }, _, sound) => {
        const pattern = query
          .replaceAll(/[^\w%]/g, "")
          .replaceAll("%", ".*")
          .replaceAll("_", ".");
        return /[%_]/.test(query) && new RegExp(pattern).test(textOf(row)) ? 0.5 : sound;
      }),
  }),
  pluginMutant({
    id: "query-as-a-regular-expression",
    defect: "entries are also found by a regular expression",
    check: "full-text/signs-find-nothing",
    names: /the query "\(\?\?\)|onRetrieve threw SyntaxError|entries and total of the query/,
    createPlugin: () =>
      rankingBy((row, { query = "" }, _, sound) =>
        asPattern(query).test(textOf(row)) ? Math.max(sound, 0.5) : sound,
      ),
  }),
  pluginMutant({
    id: "query-cut-short",
    defect: "a query is cut to the last 4,000 characters",
    check: "full-text/longest-queries-are-answered",
    names: /entries found by a query of \d+ units: the word before/,
    createPlugin: reading((query) => query.slice(-4_000)),
  }),
  pluginMutant({
    id: "query-of-too-many-words",
    defect: "a query of more than 1,024 words is an error, as in some engines",
    check: "full-text/longest-queries-are-answered",
    names: /onRetrieve threw Error: too many clauses/,
    createPlugin: reading((query) => (query.split(" ").length > 1_024 ? refuse("too many clauses") : query)),
  }),
  pluginMutant({
    id: "query-of-too-many-characters",
    defect: "a query of more than 4,096 characters is refused as too large",
    check: "full-text/longest-queries-are-answered",
    names: /an error too_large/,
    createPlugin: reading((query) => {
      if (query.length <= 4_096) return query;
      throw new MemoryError("too_large", "the query is too long", { limit: "query", max: 4_096 });
    }, isText),
  }),
  pluginMutant({
    id: "query-of-signs-has-no-vector",
    defect: "a query without a vector from the embedder is an error",
    check: "similarity/queries-of-any-text-are-answered",
    names: /onRetrieve threw Error: no vector/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async queryVector(...[request]: Parameters<ReferencePlugin["queryVector"]>) {
          const vector = await super.queryVector(request);
          return request.mode === "vector" ? (vector ?? refuse("no vector")) : vector;
        }
      })(),
  }),
  pluginMutant({
    id: "query-of-hybrid-in-a-language",
    defect: "in mode hybrid a query is passed unchanged to an engine that refuses unclosed brackets",
    check: "similarity/queries-of-any-text-are-answered",
    names: /onRetrieve threw Error: syntax error/,
    createPlugin: reading(
      (query) => (query.split("(").length === query.split(")").length ? query : refuse("syntax error")),
      ({ mode }) => mode === "hybrid",
    ),
  }),
  pluginMutant({
    id: "query-of-hybrid-by-meaning-alone",
    defect: "in mode hybrid a query of more than 4,000 characters only uses vectors",
    check: "similarity/queries-of-any-text-are-answered",
    names: /whether the query "heron .*" finds its word/,
    createPlugin: () =>
      rankingBy((row, request, vector, sound) => {
        const isLong = request.mode === "hybrid" && (request.query?.length ?? 0) > 4_000;
        return isLong ? byVector(row, request, vector) : sound;
      }),
  }),
];
