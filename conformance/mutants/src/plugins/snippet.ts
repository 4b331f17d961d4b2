import { type Mutant, pluginMutant } from "../mutant.js";
import { matchedCount, paragraphsOf } from "../reference/snippet.js";
import { SteerablePlugin } from "../reference/steerable-plugin.js";

type SnippetArguments = Parameters<{ snippet: SteerablePlugin["snippet"] }["snippet"]>;
type Snippet = ReturnType<SteerablePlugin["snippet"]>;

/** The correct plugin with other snippets. */
function withSnippet(change: (sound: Snippet, ...args: SnippetArguments) => Snippet): SteerablePlugin {
  return new (class extends SteerablePlugin {
    protected override snippet(...args: SnippetArguments): Snippet {
      return change(super.snippet(...args), ...args);
    }
  })();
}

export const snippetMutants: readonly Mutant[] = [
  pluginMutant({
    id: "snippet-always",
    defect: "every entry is returned with a snippet",
    check: "snippet/part-of-the-indexed-text",
    names: /whether `snippet` is left out/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override hasSnippet(): boolean {
          return true;
        }
      })(),
  }),
  pluginMutant({
    id: "snippet-starts-at-0",
    defect: "the position of every snippet is 0",
    check: "snippet/part-of-the-indexed-text",
    names: /text of the snippet of the entry string .*, from its `start`/,
    createPlugin: () => withSnippet((sound) => ({ ...sound, start: 0 })),
  }),
  pluginMutant({
    id: "snippet-unbounded",
    defect: "the snippet is the whole text",
    check: "snippet/part-of-the-indexed-text",
    names: /length of the snippet|snippet\.text/,
    createPlugin: () =>
      withSnippet((_, row) => ({
        text: paragraphsOf(row)
          .map(({ text }) => text)
          .join("\n\n"),
        start: 0,
      })),
  }),
  pluginMutant({
    id: "snippet-of-neighbours",
    defect: "neighbours have snippets too",
    check: "snippet/not-of-neighbours",
    names: /snippet of the neighbour with `expand`/,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override neighbour(
          ...args: Parameters<{ neighbour: SteerablePlugin["neighbour"] }["neighbour"]>
        ) {
          return { ...super.neighbour(...args), snippet: { text: "before", start: 0 } };
        }
      })(),
  }),
  pluginMutant({
    id: "snippet-of-the-indexed-start",
    defect: "only the first 8,192 code units are searched for the snippet",
    check: "snippet/has-a-word-of-the-query",
    names: /text of the snippet of a text of/,
    createPlugin: () => withSnippet((sound, row) => (sound.start < 8_192 ? sound : paragraphsOf(row)[0]!)),
  }),
  pluginMutant({
    id: "snippet-last-of-equal-ones",
    defect: "without a word of the query the last passage is the snippet",
    check: "snippet/has-a-word-of-the-query",
    names: /start of the snippet for a query with a word that only the key has/,
    createPlugin: () =>
      withSnippet((sound, row, { query }) =>
        matchedCount(sound, query) > 0 ? sound : paragraphsOf(row).at(-1)!,
      ),
  }),
  pluginMutant({
    id: "snippet-first-with-any-word",
    defect: "the first passage with any word of the query is the snippet",
    check: "snippet/further-word",
    names: /text of the snippet for grey heron, where a later paragraph .* a text with both words/,
    createPlugin: () =>
      withSnippet(
        (sound, row, { query }) =>
          paragraphsOf(row).find((paragraph) => matchedCount(paragraph, query) > 0) ?? sound,
      ),
  }),
  pluginMutant({
    id: "snippet-of-a-line",
    defect: "the snippet is only the end of a paragraph",
    check: "snippet/further-word",
    names: /text of the snippet for grey heron, .* the whole paragraph/,
    createPlugin: () =>
      withSnippet(({ text, start }) => {
        const cut = Math.max(0, text.length - 100);
        return { text: text.slice(cut), start: start + cut };
      }),
  }),
  pluginMutant({
    id: "snippet-explained-only-if-included",
    defect: "the explanation names the passage only if the snippet is requested",
    check: "snippet/named-in-the-explanation",
    names: /passage of an entry in a retrieve with \{\} and explain: /,
    createPlugin: () =>
      new (class extends SteerablePlugin {
        protected override passage(
          ...[row, request]: Parameters<{ passage: SteerablePlugin["passage"] }["passage"]>
        ) {
          return request.include.includes("snippet") ? super.passage(row, request) : undefined;
        }
      })(),
  }),
];
