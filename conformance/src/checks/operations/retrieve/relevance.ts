import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryAgent, RetrieveInput } from "../../../memory-agent.js";

/** Returns the score of the entry with this id in the results of a request. */
async function scoreOf(agent: MemoryAgent, id: string, request: RetrieveInput): Promise<number | undefined> {
  const { entries } = await agent.retrieve({ mode: "text", ...request });
  return entries.find(({ key }) => key.id === id)?.score;
}

/** Relevance guarantees of tiers that declare them. */
export const relevanceChecks: readonly Check[] = [
  memoryCheck({
    id: "context/found-for-less-than-text",
    clauses: ["RET-36", "PLUG-3"],
    features: ["context", "full_text"],
    async run({ caller, entry, expect }) {
      const [heron, storm] = ["the heron waits quietly", "a storm passes over"];
      await caller.store([
        entry({ key: { id: "context" }, content: storm, context: heron }),
        entry({ key: { id: "text" }, content: heron, context: storm }),
      ]);
      const inText = await scoreOf(caller, "text", { query: "heron" });
      const inContext = await scoreOf(caller, "context", { query: "heron" });
      const what = "of an entry with the query's word in its";
      expect.atLeast(inText ?? -1, 1e-6, `score ${what} text`);
      expect.atLeast(inContext ?? -1, 1e-6, `score ${what} context`);
      const less = (inContext ?? 0) < (inText ?? 0);
      expect.holds(less, `score ${what} context`, inContext, `less than ${inText}, the score ${what} text`);
    },
  }),
  memoryCheck({
    id: "absolute/relevance-is-of-query-and-entry",
    clauses: ["RET-37", "PLUG-3"],
    features: ["absolute", "full_text"],
    async run({ caller, entry, expect }) {
      await caller.store([
        entry({
          key: { id: "poor" },
          content: "the heron waits in the rain",
          tags: ["poor"],
          occurred_at: 1,
        }),
        entry({ key: { id: "good" }, content: "a grey heron stands in reeds", occurred_at: 2 }),
        entry({ key: { id: "best" }, content: "grey heron reeds", occurred_at: 3 }),
      ]);
      const query = "grey heron reeds";
      const whole = await scoreOf(caller, "poor", { query });
      expect.atLeast(whole ?? -1, 1e-6, "score of an entry with one word of a query of three");
      const first = await caller.retrieve({ query, mode: "text", limit: 2 });
      const others: Record<string, RetrieveInput> = {
        "its key": { keys: [{ id: "poor" }] },
        "its tag": { tags: ["poor"] },
        "a time that only this entry has": { until: 2 },
        "min_score 0.001": { min_score: 0.001 },
        "limit 3": { limit: 3 },
        "order oldest": { order: "oldest", limit: 1 },
      };
      for (const [what, request] of Object.entries(others)) {
        const score = await scoreOf(caller, "poor", { query, ...request });
        expect.near(score, whole!, 1e-6, `score of the same entry for the same query with ${what}`);
      }
      const second = await caller.retrieve({ query, mode: "text", limit: 2, cursor: first.cursor });
      const last = second.entries.find(({ key }) => key.id === "poor");
      expect.near(last?.score, whole!, 1e-6, "score of the same entry on a second page");
    },
  }),
  memoryCheck({
    id: "absolute/other-words-change-little",
    clauses: ["RET-38"],
    features: ["absolute", "full_text"],
    async run({ caller, entry, expect }) {
      await caller.store([
        entry({ key: { id: "it" }, content: "the heron waits in the rain" }),
        entry({ content: "invoices are paid in march" }),
      ]);
      const before = await scoreOf(caller, "it", { query: "heron" });
      expect.atLeast(before ?? -1, 1e-6, "score of an entry with the word of a query");
      const unlike = Array.from({ length: 60 }, (_, at) =>
        entry({ content: `violin strings need ${at} turns` }),
      );
      await caller.store(unlike);
      const after = await scoreOf(caller, "it", { query: "heron" });
      expect.near(after, before!, 0.1, "score of it after 60 entries of that length without the word");
    },
  }),
  memoryCheck({
    id: "absolute/further-word-higher-score",
    clauses: ["RET-39"],
    features: ["absolute", "full_text"],
    async run({ caller, entry, expect }) {
      await caller.store([
        entry({ key: { id: "one" }, content: "heron violin pond" }),
        entry({ key: { id: "two" }, content: "heron reeds pond" }),
      ]);
      const score = (id: string, query: string) => scoreOf(caller, id, { query });
      for (const query of ["heron reeds", "reeds heron", "heron reeds autumn"]) {
        const [one = 0, two = 0] = [await score("one", query), await score("two", query)];
        const what = `score of "heron reeds pond" for "${query}"`;
        expect.holds(two > one, what, two, `more than ${one}, the score of "heron violin pond"`);
        expect.holds(one > 0, `score of "heron violin pond" for "${query}"`, one, "more than 0");
      }
    },
  }),
];
