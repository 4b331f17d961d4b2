import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { EntryInput } from "../../../memory-agent.js";

/** Rare words by the position in a long text at which each begins. */
const WORDS: Readonly<Record<string, number>> = {
  quokka: 0,
  narwhal: 1_020,
  okapi: 4_010,
  axolotl: 8_200,
  pangolin: 16_390,
  tapir: 32_780,
  marmoset: 50_000,
  bilby: 65_500,
};
const FILLER = "lorem ipsum dolor sit amet consetetur sadipscing elitr ";

/** Returns a text of 65,536 code units with each rare word at its position. */
function longText(): string {
  let text = "";
  for (const [word, position] of Object.entries(WORDS)) {
    text = `${text}${FILLER.repeat(2_000)}`.slice(0, Math.max(position - 1, 0));
    text += `${position > 0 ? " " : ""}${word} `;
  }
  return `${text}${FILLER}`.slice(0, 65_536);
}

/** Words in every part of long texts. */
export const textLongChecks: readonly Check[] = [
  memoryCheck({
    id: "text/words-anywhere-in-a-long-text",
    clauses: ["TEXT-1", "TEXT-3", "RET-42", "ENTRY-17"],
    features: ["full_text"],
    async run({ caller, entry, expect, features }) {
      const text = longText();
      // A leaf has the name of its field before it, and an entry has further parts than a long context.
      const [leaf, context] = [text.slice(0, 65_000), text.slice(0, 40_000)];
      const shapes: readonly (readonly [what: string, text: string, fields: Partial<EntryInput>])[] = [
        ["a content that is a text", text, { content: text }],
        ["the field `text` of a content", text, { content: { text } }],
        ["a leaf of a content", leaf, { content: { pages: [leaf] } }],
        ["a given text", text, { content: "short", text }],
        ...(features.context ? [["a context", context, { content: "short", context }] as const] : []),
      ];
      const stored = shapes.map(([what, , fields]) => entry({ key: { id: what }, ...fields }));
      for (const one of stored) {
        const { errors } = await caller.store(one);
        expect.equal(errors, [], "errors of a store of an entry with a text of 65,536 code units");
      }
      for (const [word, position] of Object.entries(WORDS)) {
        const { entries } = await caller.retrieve({ query: word, mode: "text" });
        const found = entries.map(({ key }) => key.id);
        const having = shapes.filter(([, indexed]) => position < indexed.length);
        expect.sameMembers(
          found,
          having.map(([what]) => what),
          `entries found by a word at position ${position} of a long text`,
        );
      }
      const { entries } = await caller.retrieve({ keys: [stored[0]!.key] });
      expect.holds(entries[0]?.content === text, "content of 65,536 code units", entries[0]?.content, text);
    },
  }),
];
