import { isDeepStrictEqual } from "node:util";
import { delay, MemoryError, systemClock, withTimeout } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import { type Check, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import { wordEmbedder } from "../../../fixtures/word-embedder.js";
import type { MemoryAgent } from "../../../memory-agent.js";

/** Shorter than the time limit of a check, so that the check can report the unanswered request. */
const ANSWER_WITHIN_MS = 3_000;
/** Time after which a store only waits for the embedder. */
const SETTLING_MS = 50;
const ROUNDS = 100;
const ROUND_MS = 20;

/** An embedder that fails or does not answer until it is restored. */
class AbsentEmbedder implements Embedder {
  readonly id = wordEmbedder.id;
  readonly dimensions = wordEmbedder.dimensions;
  readonly #answersNothing: boolean;
  readonly #waiting: ((error: MemoryError) => void)[] = [];
  #isBack = false;

  constructor({ answersNothing }: { readonly answersNothing: boolean }) {
    this.#answersNothing = answersNothing;
  }

  embed(...args: Parameters<Embedder["embed"]>): ReturnType<Embedder["embed"]> {
    if (this.#isBack) return wordEmbedder.embed(...args);
    return new Promise((_, reject) => {
      if (this.#answersNothing) this.#waiting.push(reject);
      else reject(isDown());
    });
  }

  /** Answers future calls. Waiting calls fail. */
  comeBack(): void {
    this.#isBack = true;
    for (const reject of this.#waiting.splice(0)) reject(isDown());
  }
}

function isDown(): MemoryError {
  return new MemoryError("unavailable", "the embedder is down");
}

/**
 * Runs `use` with an agent of another instance and an unavailable embedder. Restores the embedder at the end,
 * so that all calls can end.
 */
async function withoutEmbedder(
  t: PluginContext,
  options: { readonly answersNothing: boolean },
  use: (agent: MemoryAgent, embedder: AbsentEmbedder, plugin: PluginContext["plugin"]) => Promise<void>,
): Promise<void> {
  const embedder = new AbsentEmbedder(options);
  const plugin = await t.another({ sameDirectory: false, embedder });
  try {
    await use(t.agentOf(plugin), embedder, plugin);
  } finally {
    embedder.comeBack();
  }
}

/**
 * Waits for the reply to a store that must not depend on the embedder. The time limit is sufficient for all
 * other work.
 */
async function answered(t: PluginContext, what: string, store: Promise<unknown>): Promise<void> {
  await delay(systemClock, SETTLING_MS);
  await t.passTime(1.5);
  const reply = await withTimeout(systemClock, ANSWER_WITHIN_MS, store);
  t.expect.holds(
    reply !== undefined,
    `the reply to ${what}`,
    reply,
    "a reply, a second later by the injected clock",
  );
}

/** Polls the key found first by meaning until it is the expected one or the time is over. */
async function foundFirst(
  agent: MemoryAgent,
  { query, key }: { query: string; key: unknown },
  rest: () => Promise<void>,
) {
  for (let round = 0; ; round++) {
    const { entries } = await agent.retrieve({ query, mode: "vector" });
    const first = entries[0]?.key;
    if (isDeepStrictEqual(first, key) || round === ROUNDS) return first;
    await rest();
  }
}

export const storeEmbedderChecks: readonly Check[] = [
  pluginCheck({
    id: "store/without-the-embedder",
    clauses: ["STORE-9"],
    features: ["similarity", "full_text"],
    run: (t) =>
      withoutEmbedder(t, { answersNothing: false }, async (agent, embedder, plugin) => {
        const { expect, entry } = t;
        const one = entry({ content: "the quokka sleeps" });
        const { errors, stored } = await agent.store([entry(), one, entry()]);
        const what = "errors and count of `stored` of a store while the embedder is down";
        expect.equal([errors, stored.length], [[], 3], what);
        const { total } = await agent.retrieve({ query: "quokka", mode: "text" });
        expect.equal(total, 1, "entries found by a word of them while the embedder is down");
        embedder.comeBack();
        const rest = async () => {
          await t.passTime(60);
          await plugin.maintain?.();
          await delay(systemClock, ROUND_MS);
        };
        const first = await foundFirst(agent, { query: "the quokka sleeps", key: one.key }, rest);
        expect.equal(
          first,
          one.key,
          "key found first by meaning, in mode vector, some time after the embedder recovered",
        );
      }),
  }),
  pluginCheck({
    id: "store/waits-for-the-embedder-a-second",
    clauses: ["STORE-5", "STORE-9"],
    features: ["similarity", "full_text"],
    run: (t) =>
      withoutEmbedder(t, { answersNothing: true }, async (agent) => {
        const storing = agent.store(t.entry({ content: "the quokka sleeps" }));
        await answered(t, "a store while the embedder does not answer", storing);
        const { total } = await agent.retrieve({ query: "quokka", mode: "text" });
        t.expect.equal(total, 1, "entries found by a word of them while the embedder does not answer");
      }),
  }),
  pluginCheck({
    id: "store/queued-does-not-wait-for-the-embedder",
    clauses: ["STORE-6"],
    features: ["similarity", "queued"],
    run: (t) =>
      withoutEmbedder(t, { answersNothing: true }, async (agent) => {
        const one = t.entry();
        const storing = agent.store(one, { ack: "queued" });
        await answered(t, "a store with ack `queued` while the embedder does not answer", storing);
        const { entries } = await agent.retrieve();
        const keys = entries.map(({ key }) => key);
        t.expect.equal(keys, [one.key], "keys found after that store");
      }),
  }),
  pluginCheck({
    id: "store/stored-is-found-by-meaning",
    clauses: ["STORE-5", "STORE-13"],
    features: ["similarity"],
    async run({ caller, entry, expect }) {
      const [one, other] = [
        entry({ content: "the quokka sleeps" }),
        entry({ content: "an unrelated matter" }),
      ];
      await caller.store([one, other]);
      const created = await caller.retrieve({ query: "the quokka sleeps", mode: "vector" });
      expect.equal(created.entries[0]?.key, one.key, "key found first by meaning right after a store");
      await caller.store({ ...other, content: "a heron fishes" });
      const updated = await caller.retrieve({ query: "a heron fishes", mode: "vector" });
      expect.equal(updated.entries[0]?.key, other.key, "key found first by meaning right after an update");
    },
  }),
];
