import { delay, MemoryError, systemClock } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import { type Check, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { PATIENCE_MS } from "../../../fixtures/patience.js";
import { wordEmbedder } from "../../../fixtures/word-embedder.js";

const TEXTS = ["an owl hunts at night", "bread needs flour and salt", "a violin lacks two strings"] as const;

/**
 * Returns for each text the vector that the suite's embedder returns for the next text, so that mixed vectors
 * give wrong results.
 */
const nextEmbedder: Embedder = {
  id: "conformance-next-words-v1",
  dimensions: wordEmbedder.dimensions,
  embed: (texts, kind) => {
    const next = (text: string) => TEXTS[(TEXTS.indexOf(text as (typeof TEXTS)[0]) + 1) % TEXTS.length]!;
    return wordEmbedder.embed(texts.map(next), kind);
  },
};

/** Like `nextEmbedder`, but fails for the last text. */
const partialEmbedder: Embedder = {
  ...nextEmbedder,
  embed(texts, kind) {
    if (kind === "query" || !texts.includes(TEXTS[2])) return nextEmbedder.embed(texts, kind);
    return Promise.reject(new MemoryError("unavailable", "the embedder fails at this text"));
  },
};

/** Number of polls while an entry is not reembedded, to let background work run. */
const LOOKS = 5;
const PAUSE_MS = 50;

/** Stores the texts and reopens the plugin with another embedder. */
async function changeEmbedder(t: PluginContext, embedder = nextEmbedder): Promise<void> {
  await t.caller.store(TEXTS.map((content, id) => t.entry({ key: { id }, content })));
  await t.reopen(embedder);
}

/** Returns the first entry of a query in mode vector, and whether the reply is degraded. */
async function byMeaning({ caller }: PluginContext, query: string) {
  const found = await caller.retrieve({ query, mode: "vector", limit: 1 });
  return { first: foundIds(found)[0], isDegraded: found.degraded !== undefined };
}

export const generationsChecks: readonly Check[] = [
  pluginCheck({
    id: "generations/vectors-of-another-embedder-are-not-compared",
    clauses: ["RET-40", "PLUG-3"],
    features: ["generations", "durable", "similarity"],
    async run(t) {
      await changeEmbedder(t);
      for (const [id, query] of TEXTS.entries()) {
        const { first } = await byMeaning(t, query);
        const what = `first result for the text of ${id} in mode vector right after a change of the embedder`;
        t.expect.holds(first === undefined || first === id, what, first, `${id}, or no entry yet`);
      }
    },
  }),
  pluginCheck({
    id: "generations/embedded-anew-without-being-asked",
    clauses: ["RET-41"],
    features: ["generations", "durable", "similarity", "full_text"],
    async run(t) {
      await changeEmbedder(t);
      const byWords = foundIds(await t.caller.retrieve({ query: "flour", mode: "text" }));
      t.expect.equal(byWords, [1], "ids by a word right after a change of the embedder");
      const until = systemClock.now() + PATIENCE_MS / 1_000;
      for (const [id, query] of TEXTS.entries()) {
        let seen = await byMeaning(t, query);
        while (seen.first !== id && seen.isDegraded && systemClock.now() < until) {
          await t.maintain();
          await delay(systemClock, PAUSE_MS);
          seen = await byMeaning(t, query);
        }
        const what = `first result for the text of ${id} in mode vector, after \`degraded\` reports no more entries to embed`;
        t.expect.equal(seen.first, id, what);
      }
    },
  }),
  pluginCheck({
    id: "generations/words-answer-while-embedded-anew",
    clauses: ["RET-41"],
    features: ["generations", "durable", "similarity", "full_text"],
    async run(t) {
      await changeEmbedder(t, partialEmbedder);
      const when = "while an entry is not reembedded";
      for (let look = 0; look < LOOKS; look++) {
        const byWords = await t.caller.retrieve({ query: "owl flour" });
        t.expect.equal(foundIds(byWords).sort(), [0, 1], `ids found by two words ${when}`);
        const codes = byWords.degraded?.map(({ code }) => code);
        t.expect.equal(codes, ["unavailable"], `codes of \`degraded\` ${when}`);
        const byVectors = await t.caller.retrieve({ query: TEXTS[0], mode: "vector" });
        t.expect.equal(foundIds(byVectors), [], `ids found in mode vector ${when}`);
        await t.maintain();
        await delay(systemClock, PAUSE_MS);
      }
    },
  }),
];
