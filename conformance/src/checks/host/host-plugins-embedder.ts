import { delay, systemClock, withTimeout } from "@membus/protocol";
import { type Check, hostTierCheck } from "../../catalogue/check.js";
import type { HostContext, OwnHost } from "../../context.js";
import { StallingEmbedder } from "../../fixtures/stalling-embedder.js";
import { wordEmbedder } from "../../fixtures/word-embedder.js";
import type { RetrieveInput, RetrieveReply } from "../../memory-agent.js";

/** A store waits one second for the embedder. The rest is a margin for a busy machine. */
const ANSWER_WITHIN_MS = 2_500;
const TEXT = "kettle on the stove";
const OTHER = "rain over the harbour";
/** Number of polls for background work after the embedder recovers, one minute of the host's clock apart. */
const LOOKS = 20;
const LOOK_EVERY_MS = 50;

interface Stalled {
  readonly own: OwnHost;
  readonly embedder: StallingEmbedder;
}

/** Starts a host with the plugins under test and an embedder that is stalled until it is resumed. */
async function startStalled(t: HostContext): Promise<Stalled> {
  const embedder = new StallingEmbedder();
  const own = await t.startHost({ embedder });
  embedder.stall();
  return { own, embedder };
}

/** Returns a query by the vector of a text, which needs no embedder. */
async function byMeaning(text: string): Promise<RetrieveInput> {
  const [embedding] = await wordEmbedder.embed([text], "query");
  return { embedding: Array.from(embedding!), embedding_model: wordEmbedder.id, mode: "vector" };
}

/** Polls a retrieve and returns the key of its first entry. */
async function firstInTime({ caller, passTime }: OwnHost, request: RetrieveInput): Promise<unknown> {
  for (let look = 1; ; look++) {
    const [first] = keysOf(await caller.retrieve(request));
    if (first !== undefined || look === LOOKS) return first;
    await passTime(60);
    await delay(systemClock, LOOK_EVERY_MS);
  }
}

function keysOf({ entries }: RetrieveReply): unknown[] {
  return entries.map(({ key }) => key);
}

export const embedderChecks: readonly Check[] = [
  hostTierCheck({
    id: "host-plugins/store-does-not-wait-long-for-the-embedder",
    clauses: ["STORE-5"],
    features: ["similarity"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, embedder } = await startStalled(t);
      const entry = own.entry({ content: TEXT });
      const reply = await withTimeout(systemClock, ANSWER_WITHIN_MS, own.caller.store(entry));
      const found = keysOf(await own.caller.retrieve({ keys: [entry.key] }));
      embedder.resume();
      t.expect.equal(
        reply?.receipts.map(({ outcome }) => outcome),
        ["created"],
        `outcomes of a store while the embedder does not answer, ${ANSWER_WITHIN_MS} ms after it was sent`,
      );
      t.expect.equal(
        found,
        [entry.key],
        "keys that a retrieve by key finds while the embedder does not answer",
      );
    },
  }),
  hostTierCheck({
    id: "host-plugins/found-by-text-while-the-embedder-is-away",
    clauses: ["STORE-9"],
    features: ["similarity", "full_text"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, embedder } = await startStalled(t);
      const [entry, other] = [own.entry({ content: TEXT }), own.entry({ content: OTHER })];
      await own.caller.store([entry, other]);
      const found = [];
      for (const request of [{ query: "kettle", mode: "text" }, { query: "kettle" }] as const) {
        const reply = await withTimeout(systemClock, ANSWER_WITHIN_MS, own.caller.retrieve(request));
        found.push(reply && keysOf(reply));
      }
      embedder.resume();
      const what = `keys that a query by a word of an entry finds within ${ANSWER_WITHIN_MS} ms, while the embedder does not answer`;
      t.expect.equal(found[0], [entry.key], `${what}, in mode text`);
      t.expect.equal(found[1], [entry.key], `${what}, in the default mode`);
    },
  }),
  hostTierCheck({
    id: "host-plugins/found-by-meaning-once-the-embedder-is-back",
    clauses: ["STORE-9"],
    features: ["similarity"],
    provisions: ["own_plugins"],
    async run(t) {
      for (const away of ["does not answer", "throws unavailable"] as const) {
        const embedder = new StallingEmbedder();
        const own = await t.startHost({ embedder });
        if (away === "does not answer") embedder.stall();
        else embedder.fail();
        const entry = own.entry({ content: TEXT });
        const { stored } = await own.caller.store([entry, own.entry({ content: OTHER })]);
        embedder.resume();
        t.expect.equal(stored.length, 2, `keys that are stored while the embedder ${away}`);
        t.expect.equal(
          await firstInTime(own, await byMeaning(TEXT)),
          entry.key,
          `key found first by meaning after the embedder recovered, which ${away} when the entry was stored`,
        );
      }
    },
  }),
];
