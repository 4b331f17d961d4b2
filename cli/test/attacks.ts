import { decodeMessage, type Message } from "@membus/protocol";
import type { NatsConnection } from "@nats-io/transport-node";
import { ask } from "./wire/bare-request.js";

const IN_FLIGHT = 128;
const ENTRIES_A_STORE = 1_000;
const EXPENSIVE_IN_FLIGHT = 16;
/** Characters per entry. Four entries of this size are just below the message limit of 1 MiB. */
const LARGE_TEXT = 255_000;

/** Number of replies by type, and of errors by code. */
export type Answers = Map<string, number>;

function count(answers: Answers, { type, code }: Message): void {
  const name = type === "error" ? String(code) : String(type);
  answers.set(name, (answers.get(name) ?? 0) + 1);
}

/** Calls `work` for each number below `total`, with at most `concurrency` calls in progress. */
async function runConcurrently(
  total: number,
  concurrency: number,
  work: (at: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < total; at = next++) await work(at);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Eve stores one tiny entry in each of many scopes. */
export async function floodScopes(
  nats: NatsConnection,
  scopes: number,
  placeOf: (at: number) => Message,
): Promise<Answers> {
  const answers: Answers = new Map();
  await runConcurrently(scopes, IN_FLIGHT, async (at) => {
    const place = placeOf(at);
    const tier = place.session_id === undefined ? "episodic" : "working";
    const entries = [{ key: "k", content: `note ${at}`, tier }];
    count(answers, await ask(nats, "eve", "memory/store/req", { ...place, entries }));
  });
  return answers;
}

/** Eve publishes stores of 1 MiB each without waiting for replies, then collects the replies. */
export async function floodBytes(nats: NatsConnection, messages: number, quietMs: number): Promise<Answers> {
  const answers: Answers = new Map();
  let lastAt = Date.now();
  const inbox = nats.subscribe("_INBOX.eve.*", {
    callback: (_error, reply) => {
      lastAt = Date.now();
      const decoded = decodeMessage(reply.data);
      if (decoded.ok) count(answers, decoded.message);
    },
  });
  const filling = "words of eve ".repeat(LARGE_TEXT / 13);
  for (let at = 0; at < messages; at++) {
    const entries = [0, 1, 2, 3].map((n) => ({
      key: `${at % 100}-${n}`,
      content: `${at} ${filling}`,
      tier: "episodic",
    }));
    const payload = JSON.stringify({ type: "memory/store/req", namespace: "large", entries });
    nats.publish("a2e.default.eve.memory.store.req", payload, { reply: `_INBOX.eve.${at}` });
    // Flushes so that the messages reach the server and the host instead of the socket buffer of this
    // process.
    if (at % 20 === 19) await nats.flush();
  }
  await nats.flush();
  const answered = () => [...answers.values()].reduce((sum, each) => sum + each, 0);
  while (answered() < messages && Date.now() - lastAt < quietMs) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  inbox.unsubscribe();
  return answers;
}

/** Eve repeatedly sends retrieves with every feature over many entries in one namespace. */
export async function floodRetrieves(nats: NatsConnection, entries: number, asks: number): Promise<Answers> {
  const answers: Answers = new Map();
  const namespace = "many";
  for (let from = 0; from < entries; from += ENTRIES_A_STORE) {
    const stored = Array.from({ length: ENTRIES_A_STORE }, (_, n) => ({
      key: `k${from + n}`,
      content: `note ${from + n} on walnuts, marmots and the weather of ${(from + n) % 365}`,
      group: `g${(from + n) % 500}`,
      tier: "episodic",
    }));
    await ask(nats, "eve", "memory/store/req", { namespace, entries: stored, deadline_ms: 18_000 });
  }
  await runConcurrently(asks, EXPENSIVE_IN_FLIGHT, async (at) => {
    const all = { diversity: 0.5, explain: true, expand: { before: 5, after: 5 }, limit: 400 };
    const query = `walnuts and the weather of ${at % 365}`;
    const fields = { namespace, tier: "episodic", query, ...all };
    count(answers, await ask(nats, "eve", "memory/retrieve/req", fields));
  });
  return answers;
}
