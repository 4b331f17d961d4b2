import { encodeMessage, LIMITS, type Message, systemClock } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import { answer, listOf, type Operation, recordOf, request } from "../../fixtures/bare-messages.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { answersTo } from "../../host-route/answers-to.js";

/** Tolerance for a host that polls its deadlines, and for the delivery of the reply. */
const LATE_MS = 100;
/** Work that any host notices: much longer than a result may be late. */
const LONG_MS = 250;
const ROUNDS_MAX = 8;
const BATCH_SIZE = 500;
/** Maximum size of an entry of a batch, as JSON. */
const ENTRY_BYTES = 700;
const TIME_ENOUGH_MS = 20_000;

interface Answer {
  readonly message: Message;
  readonly tookMs: number;
}

async function ask(t: HostContext, operation: Operation, fields: Message): Promise<Answer> {
  const sentAt = systemClock.now();
  const sent = request(t, operation, fields);
  const what = `a ${operation} of much work with deadline_ms ${fields.deadline_ms}`;
  const { message } = await answer(t, what, operation, sent, { timeoutMs: TIME_ENOUGH_MS });
  return { message, tookMs: (systemClock.now() - sentAt) * 1_000 };
}

/** Builds a batch of as many entries as a message can carry. Each takes some time to process. */
function batch({ entry, bus }: HostContext, countMax: number): Message {
  const count = Math.min(countMax, Math.floor((bus.maxPayloadBytes * 0.9) / ENTRY_BYTES));
  const metadata = { w: "a".repeat(250) };
  return {
    entries: Array.from({ length: count }, (_, at) =>
      entry({ content: `word ${at % 7} `.repeat(30), metadata }),
    ),
  };
}

/** Builds a request that examines every entry many times, with the features of the tier. */
function search({ tier, features }: HostContext): Message {
  const needles = Array.from({ length: 60 }, (_, at) => `${"a".repeat(100 + at)}b`);
  const where = { not: { any: needles.map((value) => ({ field: "metadata.w", op: "contains", value })) } };
  const query = features.full_text ? { query: "word 1 2 3 4 5 6 ".repeat(450), mode: "text" } : {};
  return { tier, where, limit: 100, ...query };
}

/**
 * Stores entries until a search is slow or the required capacity is reached. Returns the duration of the
 * search.
 */
async function fill(t: HostContext): Promise<number> {
  for (let round = 1; ; round++) {
    const { message } = await ask(t, "store", { ...batch(t, BATCH_SIZE), deadline_ms: TIME_ENOUGH_MS });
    t.expect.equal(listOf(message.errors), [], "errors of a store with deadline_ms 20000");
    const { tookMs } = await ask(t, "retrieve", { ...search(t), deadline_ms: TIME_ENOUGH_MS });
    if (tookMs > LONG_MS || round === ROUNDS_MAX) return tookMs;
  }
}

/** Returns the duration of a request without work, in milliseconds. */
async function idleMs(t: HostContext): Promise<number> {
  const sentAt = systemClock.now();
  for (let count = 0; count < 3; count++) await t.send("ping", { type: "ping", id: newRequestId() });
  return (systemClock.now() - sentAt) * 1_000;
}

/** Deadlines for work that takes longer than the caller waits (clause ENV-11). */
export const deadlineChecks: readonly Check[] = [
  hostCheck({
    id: "envelope/no-result-after-the-deadline",
    clauses: ["ENV-11"],
    turn: "alone",
    async run(t) {
      await fill(t);
      const lateMs = Math.round(LATE_MS + (await idleMs(t)));
      for (const [operation, fields] of [
        ["retrieve", search(t)],
        ["store", batch(t, LIMITS.storeEntries)],
        ["forget", { tier: t.tier, where: search(t).where }],
      ] as const) {
        const { message, tookMs } = await ask(t, operation, { ...fields, deadline_ms: 1 });
        const { type, code } = message;
        const what = `the reply to a ${operation} of much work with deadline_ms 1`;
        t.expect.holds(
          code === "timeout" || (type !== "error" && tookMs < lateMs),
          `${what}, ${Math.round(tookMs)} ms after it was sent`,
          { type, code },
          `an error timeout, or a result within ${lateMs} ms`,
        );
        const totalMs = Number(recordOf(message.took_ms).total ?? 0);
        t.expect.atMost(totalMs, LATE_MS, `took_ms.total in ${what}`);
      }
    },
  }),
  hostCheck({
    id: "envelope/late-result-is-no-second-reply",
    clauses: ["ERR-10", "ENV-11"],
    turn: "alone",
    async run(t) {
      const workMs = await fill(t);
      const late = request(t, "retrieve", { ...search(t), deadline_ms: 1 });
      const waits = { firstMs: TIME_ENOUGH_MS, othersMs: 2 * (workMs + LATE_MS) };
      const replies = await answersTo(t.bus, t.subject("retrieve"), encodeMessage(late, "json"), waits);
      const what = "replies to a retrieve of much work with deadline_ms 1, until its work is done, too";
      t.expect.equal(replies.length, 1, what);
    },
  }),
];
