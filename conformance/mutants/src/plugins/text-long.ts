import { deriveText } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";

const CHECK = "text/words-anywhere-in-a-long-text";

/** The reference plugin that indexes another text of a row. */
function indexing(change: (row: Row) => string): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override relevance(...[row, request, vector]: Parameters<ReferencePlugin["relevance"]>) {
      return super.relevance({ ...row, text: change(row) }, request, vector);
    }
  })();
}

const textOf = ({ text, content }: Row): string => text ?? deriveText(content);

export const textLongMutants: readonly Mutant[] = [
  pluginMutant({
    id: "text-first-and-last-kilobytes",
    defect: "the middle of a text of more than 40,000 characters is not indexed",
    check: CHECK,
    names: /entries found by a word at position 32780/,
    createPlugin: () =>
      indexing((row) => {
        const text = textOf(row);
        return text.length <= 40_000 ? text : `${text.slice(0, 20_000)} ${text.slice(-20_000)}`;
      }),
  }),
  pluginMutant({
    id: "text-given-texts-are-short",
    defect: "a given text is indexed up to 32,768 characters, a derived one as a whole",
    check: CHECK,
    names: /entries found by a word at position 32780/,
    createPlugin: () => indexing(({ text, content }) => text?.slice(0, 32_768) ?? deriveText(content)),
  }),
];
