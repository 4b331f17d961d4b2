import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { RetrieveInput, RetrieveReply } from "../../../memory-agent.js";

type Explained = RetrieveReply["entries"][number];

/** Returns the product of the parts of an explanation. */
function product({ explain }: Explained): number {
  const { relevance = 0, rerank = relevance, importance = 0, recency = 0 } = explain ?? {};
  return rerank * importance * recency;
}

const TEXTS = { both: "the grey heron stands", one: "a heron sleeps here", none: "a storm passes" };

export const explainChecks: readonly Check[] = [
  memoryCheck({
    id: "explain/parts-make-the-score",
    clauses: ["RET-31", "PLUG-3"],
    features: ["explain", "full_text"],
    async run({ caller, entry, expect }) {
      const entries = Object.entries(TEXTS).map(([id, content]) =>
        entry({ key: { id }, content, importance: 0.5 }),
      );
      await caller.store(entries);
      const asked = { query: "grey heron", mode: "text" } as const;
      for (const request of [{}, asked]) {
        const found = await caller.retrieve({ ...request, explain: true });
        const count = request === asked ? 2 : 3;
        expect.equal(found.entries.length, count, `entries of a retrieve with ${JSON.stringify(request)}`);
        for (const one of found.entries) {
          const what = `of an entry of importance 0.5 in a retrieve with ${JSON.stringify(request)}`;
          expect.near(product(one), one.score, 1e-5, `product of the parts ${what}`);
          const factor = request === asked ? 0.875 : 0.5;
          expect.equal(one.explain?.importance, factor, `importance in the explanation ${what}`);
          expect.equal(one.explain?.recency, 1, `recency in the explanation ${what}`);
        }
      }
      const listed = (await caller.retrieve({ explain: true })).entries.map(
        ({ explain }) => explain?.relevance,
      );
      expect.equal(listed, [1, 1, 1], "relevance in the explanations of a listing");
    },
  }),
  memoryCheck({
    id: "explain/names-the-recency",
    clauses: ["RET-31", "RET-24"],
    features: ["explain", "recency"],
    async run({ caller, entry, expect, now }) {
      const half_life_s = 10_000_000;
      await caller.store(entry({ importance: 0.5, occurred_at: now() - half_life_s }));
      const recency = { half_life_s, weight: 0.5 };
      const [one] = (await caller.retrieve({ recency, explain: true })).entries;
      const what = "of an entry of importance 0.5 that is one half-life old, with a weight of 0.5";
      expect.near(one?.explain?.recency, 0.75, 1e-4, `recency in the explanation ${what}`);
      expect.near(one?.score, product(one!), 1e-5, `score ${what}`);
    },
  }),
  memoryCheck({
    id: "explain/terms-add-up",
    clauses: ["RET-32"],
    features: ["explain", "full_text"],
    async run({ caller, entry, expect }) {
      const inKey = entry({ key: { id: "key", animal: "heron" }, content: TEXTS.none });
      await caller.store([
        ...Object.entries(TEXTS).map(([id, content]) => entry({ key: { id }, content })),
        inKey,
      ]);
      const { entries } = await caller.retrieve({ query: "grey heron", mode: "text", explain: true });
      const of = (id: string) => entries.find(({ key }) => key.id === id)?.explain;
      for (const [id, count, fields] of [
        ["both", 2, ["text"]],
        ["one", 1, ["text"]],
        ["key", 1, ["context"]],
      ] as const) {
        const { terms = [], lexical } = of(id) ?? {};
        const what = `of the entry ${id}, for the query grey heron`;
        expect.equal(terms.length, count, `number of the terms ${what}`);
        for (const { fields: found } of terms) expect.equal(found, fields, `fields of a term ${what}`);
        const sum = terms.reduce((total, { score }) => total + score, 0);
        expect.holds(sum > 0, `sum of the terms' scores ${what}`, sum, "more than 0");
        expect.near(lexical, sum, 1e-5, `lexical ${what}, which its terms add up to`);
      }
      const weights = of("both")?.terms.reduce((total, { weight }) => total + weight, 0);
      expect.near(weights, 1, 1e-5, "sum of the weights of the terms of an entry that has all of them");
    },
  }),
  memoryCheck({
    id: "explain/tells-how-the-tier-ranked",
    clauses: ["RET-33", "RET-26"],
    features: ["explain", "full_text"],
    async run({ caller, entry, expect, tier }) {
      await caller.store([
        ...Object.entries(TEXTS).map(([id, content]) => entry({ key: { id }, content, tags: ["asked"] })),
        entry({ content: TEXTS.both, tags: ["other"] }),
      ]);
      const asked: RetrieveInput = { query: "grey heron", mode: "text", tags: ["asked"], limit: 1 };
      const plain = await caller.retrieve(asked);
      const { explain = [], total } = await caller.retrieve({ ...asked, explain: true });
      const what =
        "of a query in mode text with a tag: 3 of 4 entries have the tag, 2 of them a word of the query";
      expect.equal(total, plain.total, `total ${what}, with explain`);
      expect.equal(
        explain.map(({ tier: named, candidates }) => ({ tier: named, candidates })),
        [{ tier, candidates: 3 }],
        `tier and candidates in the explanation ${what}`,
      );
      const { analyzer, embedder, generation, terms = [] } = explain[0]!;
      expect.holds(typeof analyzer === "string", `analyzer in the explanation ${what}`, analyzer, "its id");
      expect.equal({ embedder, generation }, { embedder: null, generation: null }, `vectors ${what}`);
      expect.equal(terms.length, 2, `number of terms in the explanation ${what}`);
    },
  }),
];
