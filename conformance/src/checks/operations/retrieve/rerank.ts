import { importanceFactor, MemoryError, systemClock, withTimeout } from "@membus/protocol";
import type { MemoryPlugin, Reranker } from "@membus/protocol/plugin";
import { type Check, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import type { EntryInput } from "../../../memory-agent.js";

/**
 * Returns entries that the suite's reranker orders differently from their importance. The number in the text
 * is its score.
 */
function figures(t: PluginContext): EntryInput[] {
  const scores = [0.25, 1, 0.5, 0];
  return scores.map((id, at) =>
    t.entry({ key: { id }, content: `heron ${id === 0 ? "" : id}`, importance: 1 - at / 10 }),
  );
}

/** Maximum time by which the plugin's clock is accelerated while it waits. */
const SECONDS_MAX = 60;
const PAUSE_MS = 10;

const ASKED = { query: "heron", mode: "text" } as const;

const failing = (rerank: Reranker["rerank"]): Reranker => ({ id: "conformance-failing-v1", rerank });

const FAILURES = {
  unavailable: async () => {
    throw new MemoryError("unavailable", "the reranker is unavailable");
  },
  overloaded: async () => {
    throw new MemoryError("overloaded", "the reranker is overloaded");
  },
} as const;

async function openedWith(t: PluginContext, reranker: Reranker): Promise<MemoryPlugin> {
  const plugin = await t.another({ sameDirectory: false, reranker });
  await t.agentOf(plugin).store(figures(t));
  return plugin;
}

export const rerankChecks: readonly Check[] = [
  pluginCheck({
    id: "rerank/takes-the-place-of-relevance",
    clauses: ["RET-34", "PLUG-3", "RET-8"],
    features: ["rerank", "full_text"],
    async run(t) {
      await t.caller.store(figures(t));
      const plain = await t.caller.retrieve(ASKED);
      expect(t, foundIds(plain), [0.25, 1, 0.5, 0], "ids, in order, without `rerank`");
      const { entries, total } = await t.caller.retrieve({ ...ASKED, rerank: true });
      expect(t, foundIds({ entries }), [1, 0.5, 0.25], "ids, in order, with `rerank`");
      expect(t, total, 4, "total with `rerank`");
      for (const { key, score, importance } of entries) {
        const what = `score of the entry that the reranker gives ${key.id}, of importance ${importance}`;
        t.expect.near(score, Number(key.id) * importanceFactor(importance), 1e-5, what);
      }
      const best = await t.caller.retrieve({ ...ASKED, rerank: true, min_score: 0.3 });
      expect(
        t,
        foundIds(best),
        [1, 0.5].slice(0, best.entries.length),
        "ids with `rerank` and min_score 0.3",
      );
      expect(t, best.entries.length, 2, "entries with `rerank` and min_score 0.3");
    },
  }),
  pluginCheck({
    id: "rerank/scores-fifty-at-most",
    clauses: ["RET-34"],
    features: ["rerank", "full_text"],
    async run(t) {
      const ids = Array.from({ length: 60 }, (_, at) => at);
      const content = (id: number) => `heron ${id < 50 ? 0.5 : 0.9}`;
      const importance = (id: number) => 1 - id / 100;
      await t.caller.store(
        ids.map((id) => t.entry({ key: { id }, content: content(id), importance: importance(id) })),
      );
      const found = await t.caller.retrieve({ ...ASKED, rerank: true, limit: 60 });
      const what = "of a retrieve with `rerank` and limit 60 that 60 entries match";
      t.expect.equal(found.entries.length, 50, `entries ${what}`);
      t.expect.sameMembers(foundIds(found), ids.slice(0, 50), `ids ${what}, with the best 50 rescored`);
      t.expect.equal(found.total, 60, `total ${what}`);
    },
  }),
  pluginCheck({
    id: "rerank/without-the-reranker",
    clauses: ["RET-35"],
    features: ["rerank", "full_text"],
    async run(t) {
      for (const [code, rerank] of Object.entries(FAILURES)) {
        const agent = t.agentOf(await openedWith(t, failing(rerank)));
        const plain = await agent.retrieve({ ...ASKED, limit: 3 });
        const { entries, degraded = [] } = await agent.retrieve({ ...ASKED, limit: 3, rerank: true });
        const what = `with \`rerank\` and the reranker error ${code}`;
        expect(t, foundIds({ entries }), foundIds(plain), `ids of the first 3 ${what}`);
        const codes = degraded.map((one) => one.code);
        t.expect.equal(codes, [code], `codes in \`degraded\` ${what}`);
      }
    },
  }),
  pluginCheck({
    id: "rerank/does-not-wait-for-ever",
    clauses: ["RET-35"],
    features: ["rerank", "full_text"],
    async run(t) {
      const agent = t.agentOf(
        await openedWith(
          t,
          failing(() => new Promise(() => {})),
        ),
      );
      const asked = agent.retrieve({ ...ASKED, rerank: true });
      const { entries, degraded = [] } = await whileTimePasses(t, asked);
      const what = "with `rerank` and a reranker that does not answer";
      expect(t, foundIds({ entries }), [0.25, 1, 0.5, 0], `ids, in order, ${what}`);
      const codes = degraded.map((one) => one.code);
      t.expect.equal(codes, ["unavailable"], `codes in \`degraded\` ${what}`);
    },
  }),
];

/** Returns the reply to a request that waits for the plugin's clock. The clock runs faster until then. */
async function whileTimePasses<Reply>(t: PluginContext, asked: Promise<Reply>): Promise<Reply> {
  let isOver = false;
  const over = asked.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  for (let second = 0; second < SECONDS_MAX && !isOver; second++) {
    await withTimeout(systemClock, PAUSE_MS, over);
    await t.passTime(1);
  }
  return asked;
}

function expect(t: PluginContext, got: unknown, expected: unknown, what: string): void {
  t.expect.equal(got, expected, `${what}, of herons with the reranker scores 0.25, 1, 0.5 and 0`);
}
