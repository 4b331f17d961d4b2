import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { RetrieveInput, RetrieveReply } from "../../../memory-agent.js";

type Found = RetrieveReply["entries"][number];

const SNIPPET_LENGTH_MAX = 2_048;
const WITH_SNIPPET: RetrieveInput = { include: ["snippet"] };

/** Paragraphs of about 450 code units, 18,000 in total. */
const PARAGRAPHS = Array.from(
  { length: 40 },
  (_, n) => `Paragraph ${n}: ${"nothing else is here. ".repeat(20)}`,
);
const LONG = textWith({});

/** Returns the long text with other paragraphs at some positions. */
function textWith(paragraphs: Readonly<Record<number, string>>): string {
  return PARAGRAPHS.map((paragraph, at) => paragraphs[at] ?? paragraph).join("\n\n");
}

/** Returns a paragraph of at most 1,024 code units that ends with these words. */
function paragraphWith(words: string): string {
  return `Notes: ${"one more remark. ".repeat(50)}${words}`;
}

function byId(entries: readonly Found[]): ReadonlyMap<unknown, Found> {
  return new Map(entries.map((entry) => [entry.key.id, entry]));
}

export const snippetChecks: readonly Check[] = [
  memoryCheck({
    id: "snippet/part-of-the-indexed-text",
    clauses: ["RET-43", "PLUG-3"],
    features: ["snippet", "full_text"],
    async run({ caller, entry, expect }) {
      const text = textWith({ 30: "a grey heron stands" });
      const indexed = {
        string: text,
        object: text,
        leaves: "bird: heron\nplace: lake",
        own: text,
      };
      await caller.store([
        entry({ key: { id: "string" }, content: text }),
        entry({ key: { id: "object" }, content: { title: "heron", text } }),
        entry({ key: { id: "leaves" }, content: { bird: "heron", place: "lake" } }),
        entry({ key: { id: "own" }, content: "a heron", text }),
      ]);
      for (const request of [{}, { query: "heron", mode: "text" }] as const) {
        const of = `in a retrieve with ${JSON.stringify(request)}`;
        for (const { snippet } of (await caller.retrieve(request)).entries) {
          expect.equal(
            snippet === undefined,
            true,
            `whether \`snippet\` is left out ${of}, without \`include\``,
          );
        }
        const found = byId((await caller.retrieve({ ...request, ...WITH_SNIPPET })).entries);
        for (const [id, whole] of Object.entries(indexed)) {
          const { text: got = "", start = 0 } = found.get(id)?.snippet ?? {};
          const what = `the snippet of the entry ${id} ${of} and include [snippet]`;
          const isBounded = got.length > 0 && got.length <= SNIPPET_LENGTH_MAX;
          expect.holds(isBounded, `length of ${what}`, got.length, `1..${SNIPPET_LENGTH_MAX}`);
          expect.equal(got, whole.slice(start, start + got.length), `text of ${what}, from its \`start\``);
        }
      }
    },
  }),
  memoryCheck({
    id: "snippet/not-of-neighbours",
    clauses: ["RET-43"],
    features: ["snippet", "expand"],
    async run({ caller, entry, expect }) {
      for (const id of ["before", "found"])
        await caller.store(entry({ key: { id }, content: id, group: "talk" }));
      const request = { keys: [{ id: "found" }], expand: { before: 1 }, ...WITH_SNIPPET };
      const { entries } = await caller.retrieve(request);
      const what = "with `expand` and include [snippet]";
      expect.equal(entries[0]?.snippet?.text, "found", `text of the snippet of an entry ${what}`);
      const [neighbour] = entries[0]?.neighbours?.before ?? [];
      expect.equal(neighbour?.key.id, "before", `key of the neighbour ${what}`);
      expect.equal(neighbour?.snippet, undefined, `snippet of the neighbour ${what}`);
    },
  }),
  memoryCheck({
    id: "snippet/has-a-word-of-the-query",
    clauses: ["RET-44"],
    features: ["snippet", "full_text"],
    async run({ caller, entry, expect }) {
      const content = textWith({ 25: "a grey heron stands", 39: "the last bird is an egret" });
      await caller.store(entry({ key: { id: "long", name: "bittern" }, content }));
      const snippetFor = async (query: string) => {
        const request: RetrieveInput = { query, mode: "text", ...WITH_SNIPPET };
        return (await caller.retrieve(request)).entries[0]?.snippet;
      };
      for (const word of ["heron", "egret"]) {
        const { text = "" } = (await snippetFor(word)) ?? {};
        const what = `the snippet of a text of ${content.length} code units, for a query with a word of it`;
        expect.holds(text.includes(word), `text of ${what}`, text, `a text with ${word}`);
      }
      const { start } = (await snippetFor("bittern")) ?? {};
      expect.equal(start, 0, "start of the snippet for a query with a word that only the key has");
      const [listed] = (await caller.retrieve(WITH_SNIPPET)).entries;
      expect.equal(listed?.snippet?.start, 0, "start of the snippet in a listing");
    },
  }),
  memoryCheck({
    id: "snippet/further-word",
    clauses: ["RET-45"],
    features: ["snippet", "full_text"],
    async run({ caller, entry, expect }) {
      const [one, both] = [paragraphWith("grey storm at dawn"), paragraphWith("grey heron at dawn")];
      for (const [id, content] of [
        ["later", textWith({ 10: one, 25: both })],
        ["earlier", textWith({ 10: both, 25: one })],
      ] as const) {
        await caller.store(entry({ key: { id }, content }));
        const request: RetrieveInput = { query: "grey heron", mode: "text", keys: [{ id }], ...WITH_SNIPPET };
        const { text = "" } = (await caller.retrieve(request)).entries[0]?.snippet ?? {};
        const what = `the snippet for grey heron, where a ${id} paragraph has both words and another only grey`;
        expect.holds(text.includes("grey heron"), `text of ${what}`, text, "a text with both words");
        expect.holds(text.includes(both), `text of ${what}`, text, "the whole paragraph");
      }
    },
  }),
  memoryCheck({
    id: "snippet/named-in-the-explanation",
    clauses: ["RET-46"],
    features: ["snippet", "explain", "full_text"],
    async run({ caller, entry, expect }) {
      const content = textWith({ 25: "a grey heron stands" });
      await caller.store([entry({ content }), entry({ content: LONG, importance: 0.5 })]);
      for (const request of [{}, { query: "heron", mode: "text" }] as const) {
        const of = `in a retrieve with ${JSON.stringify(request)} and explain`;
        const full = await caller.retrieve({ ...request, explain: true, ...WITH_SNIPPET });
        const plain = await caller.retrieve({ ...request, explain: true });
        for (const [at, { snippet, explain }] of full.entries.entries()) {
          const { text = "", start = -1 } = snippet ?? {};
          const passage = { start, end: start + text.length };
          const { start: begin, end } = explain?.passage ?? {};
          expect.equal({ start: begin, end }, passage, `passage of an entry ${of}, with include [snippet]`);
          const other = plain.entries[at]?.explain?.passage;
          expect.equal({ start: other?.start, end: other?.end }, passage, `passage of an entry ${of}`);
        }
      }
    },
  }),
];
