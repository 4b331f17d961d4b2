import { type MemoryKey, normaliseKey } from "@membus/protocol";
import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import type { EntryInput } from "../../../memory-agent.js";

/** Maximum length of derived text in UTF-16 code units. */
const DERIVED_MAX = 65_536;

interface Indexed {
  /** Queries that find the entry, and queries that do not. */
  readonly found: readonly string[];
  readonly absent: readonly string[];
}

/** Stores one entry and searches for it by single words, next to an entry without these words. */
async function expectWords(
  { caller, entry, expect }: MemoryContext,
  what: string,
  fields: Partial<EntryInput>,
  { found, absent }: Indexed,
): Promise<void> {
  const one = entry(fields);
  await caller.store([one, entry({ content: "nothing of the kind" })]);
  const look = async (query: string) => {
    const { entries } = await caller.retrieve({ query, mode: "text" });
    return entries.map(({ key }) => key);
  };
  const key = normaliseKey(one.key as MemoryKey | string);
  for (const query of found) expect.equal(await look(query), [key], `keys found by \`${query}\`, ${what}`);
  for (const query of absent) expect.equal(await look(query), [], `keys found by \`${query}\`, ${what}`);
}

export const textChecks: readonly Check[] = [
  memoryCheck({
    id: "text/string-content-is-indexed",
    clauses: ["TEXT-1"],
    features: ["full_text"],
    run: (t) =>
      expectWords(
        t,
        "in a content that is a string",
        { content: "A zebra grazes beside the baobab." },
        { found: ["zebra", "baobab"], absent: ["narwhal"] },
      ),
  }),
  memoryCheck({
    id: "text/field-text-of-the-content-is-indexed-alone",
    clauses: ["TEXT-1"],
    features: ["full_text"],
    run: (t) =>
      expectWords(
        t,
        "in a content with `text: zebra` and another field",
        { content: { species: "giraffe", text: "zebra", nested: { text: "walrus" } } },
        { found: ["zebra"], absent: ["giraffe", "species", "walrus"] },
      ),
  }),
  memoryCheck({
    id: "text/leaves-of-other-contents-are-indexed",
    clauses: ["TEXT-1"],
    features: ["full_text"],
    async run(t) {
      await expectWords(
        t,
        "in a content of fields, lists and objects without a string in `text`",
        {
          content: {
            species: "okapi",
            text: 8_848,
            deep: { habitat: ["tapir", { predator: "jaguar" }], extinct: false },
            quokka: null,
          },
        },
        {
          found: ["okapi", "species", "8848", "tapir", "habitat", "jaguar", "predator", "extinct"],
          absent: ["quokka", "null"],
        },
      );
      await expectWords(
        t,
        "in a content that is a list",
        { content: ["pelican", 31_415, ["heron"], null] },
        { found: ["pelican", "31415", "heron"], absent: ["null"] },
      );
    },
  }),
  memoryCheck({
    id: "text/given-text-is-indexed-instead",
    clauses: ["TEXT-1"],
    features: ["full_text"],
    run: (t) =>
      expectWords(
        t,
        "of an entry with content `walrus` and text `narwhal`",
        { content: "walrus", text: "narwhal" },
        { found: ["narwhal"], absent: ["walrus"] },
      ),
  }),
  memoryCheck({
    id: "text/strings-of-the-key-are-context",
    clauses: ["TEXT-2"],
    features: ["full_text"],
    async run(t) {
      await expectWords(
        t,
        "in the fields of a key",
        { key: { topic: "axolotl", of: "a pangolin", number: 5 }, content: "said at noon" },
        { found: ["axolotl", "pangolin", "noon"], absent: ["narwhal"] },
      );
      await expectWords(
        t,
        "in a key that is a string",
        { key: "favourite_marmoset", content: "said at dusk" },
        { found: ["favourite marmoset", "marmoset"], absent: ["narwhal"] },
      );
    },
  }),
  memoryCheck({
    id: "text/derived-again-when-the-content-changes",
    clauses: ["UPD-3", "TEXT-1"],
    features: ["full_text"],
    async run(t) {
      const { key } = t.entry();
      await expectWords(
        t,
        "in the given text of the first store",
        { key, content: "walrus", text: "narwhal" },
        { found: ["narwhal"], absent: ["ibex"] },
      );
      await expectWords(
        t,
        "after a store of the content `ibex` over content `walrus` and text `narwhal`",
        { key, content: "ibex" },
        { found: ["ibex"], absent: ["narwhal", "walrus"] },
      );
    },
  }),
  memoryCheck({
    id: "text/derived-text-ends-at-65536-units",
    clauses: ["TEXT-3"],
    features: ["full_text"],
    async run(t) {
      const last = "numbat";
      const ascii = "x ".repeat((DERIVED_MAX - last.length) / 2);
      // A code point of this text takes two units, so counting code points or bytes cuts at another place.
      const pairs = "\u{1F98A}".repeat((DERIVED_MAX - last.length) / 2 - 1);
      await expectWords(
        t,
        "in a content in which `numbat` ends at unit 65536, and `quoll` follows",
        { content: `${ascii}${last} quoll` },
        { found: ["numbat"], absent: ["quoll"] },
      );
      await expectWords(
        t,
        "in a content of surrogate pairs in which `wombat` ends at unit 65536, and `bilby` follows",
        { content: { text: `${pairs}  wombat bilby` } },
        { found: ["wombat"], absent: ["bilby"] },
      );
    },
  }),
];
