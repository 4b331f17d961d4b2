import type { Message } from "@membus/protocol";
import { type Check, hostTierCheck } from "../../../catalogue/check.js";
import { accepted, answer, request } from "../../../fixtures/bare-messages.js";
import { forgetFate, refusalCodes, storeFate } from "../../../fixtures/fate-of.js";
import { readEntry } from "../../../fixtures/read-entry.js";
import { newRequestId } from "../../../fixtures/request-id.js";

/** Returns the same fields in the opposite order. */
function reversed(fields: Readonly<Message>): Message {
  return Object.fromEntries(Object.entries(fields).reverse()) as Message;
}

/** Longer than a cache of some seconds keeps results. Short enough for a run in real time. */
const A_WHILE_S = 12;
/** Slightly shorter than the time for which results are kept. */
const NEARLY_ALL_S = 590;

/** Equality of requests, and repeated requests while the first is pending. */
export const retryHostChecks: readonly Check[] = [
  hostTierCheck({
    id: "retry/digest-is-of-the-body-alone",
    clauses: ["RETRY-2", "RETRY-1"],
    async run(t) {
      const entry = t.entry({ content: { b: [1, 2.5], a: "first" }, tags: ["red"] });
      const sent = request(t, "store", { entries: [entry] });
      const first = await accepted(t, "a store", "store", sent);
      await t.caller.store({ ...entry, content: "second" });
      const variants = {
        "another ts": { fields: { ...sent, ts: 1_700_000_000.5 } },
        "another deadline": { fields: { ...sent, deadline_ms: 4_321 } },
        "another version 1.x": { fields: { ...sent, version: "1.7" } },
        "a field that is null": { fields: { ...sent, ack: null } },
        "an x_ field": { fields: { ...sent, x_attempt: 2 } },
        "its fields in another order": {
          fields: reversed({ ...sent, entries: [reversed(entry as Message)] }),
        },
        "the other encoding": { fields: sent, options: { encoding: "msgpack" as const } },
      };
      for (const [how, { fields, ...more }] of Object.entries(variants)) {
        const options = "options" in more ? more.options : {};
        const again = await accepted(t, `a store repeated with ${how}`, "store", fields, options);
        t.expect.equal(
          again.receipts,
          first.receipts,
          `receipts of a store repeated with ${how}, compared with the first`,
        );
      }
      const { entries } = await t.caller.retrieve();
      const contents = entries.map(({ content }) => content);
      t.expect.equal(
        contents,
        ["second"],
        "contents after a store was repeated in other forms, with the entry updated before",
      );
    },
  }),
  hostTierCheck({
    id: "retry/at-once-is-one-effect",
    clauses: ["RETRY-3", "RETRY-1"],
    async run(t) {
      const entries = Array.from({ length: 20 }, () => t.entry({ tags: ["red"] }));
      const store = request(t, "store", { entries });
      const what = "a store that is sent 5 times at once";
      const replies = await Promise.all([1, 2, 3, 4, 5].map(() => accepted(t, what, "store", store)));
      const [first, ...others] = replies.map(({ receipts }) => receipts as { readonly outcome: string }[]);
      const outcomes = new Set(first!.map(({ outcome }) => outcome));
      t.expect.equal([...outcomes], ["created"], `outcomes in the reply to ${what}`);
      for (const receipts of others)
        t.expect.equal(receipts, first, `receipts in the replies to ${what}: all the same`);
      const forget = request(t, "forget", { tier: t.tier, tags: ["red"] });
      const forgetting = [1, 2, 3].map(() =>
        accepted(t, "a forget that is sent 3 times at once", "forget", forget),
      );
      const deleted = (await Promise.all(forgetting)).map((reply) => reply.deleted);
      t.expect.equal(
        deleted,
        [20, 20, 20],
        "`deleted` in the replies to a forget of 20 entries that is sent 3 times at once",
      );
    },
  }),
  hostTierCheck({
    id: "retry/other-body-at-once-is-a-conflict",
    clauses: ["RETRY-1", "RETRY-3"],
    async run(t) {
      const { caller, entry, expect } = t;
      const [id, key] = [newRequestId(), { id: "one" }];
      const entries = ["first", "second", "third"].map((content) => entry({ key, content }));
      const what = "3 stores of one id with other bodies, sent at once";
      const codes = await Promise.all(entries.map((one) => refusalCodes(caller.store(one, { id }))));
      expect.sameMembers(codes, [[], ["conflict"], ["conflict"]], `codes of ${what}: all but one refused`);
      const accepted = entries[codes.findIndex(({ length }) => length === 0)]!;
      const read = await readEntry(caller, key);
      expect.equal(read?.content, accepted.content, `content after ${what}: the content of the accepted one`);
      expect.equal(
        read?.revision,
        read?.seq,
        `revision of the entry after ${what}: the revision of its creation`,
      );
    },
  }),
  hostTierCheck({
    id: "retry/remembered-for-a-while",
    clauses: ["RETRY-6", "RETRY-1", "STATUS-4"],
    turn: "lasting",
    async run({ caller, entry, expect, passTime, isTimeOwn }) {
      const [one, removed] = [entry({ content: "first" }), entry()];
      const [storeId, forgetId] = [newRequestId(), newRequestId()];
      const stored = await caller.store([one, removed], { id: storeId });
      const forgotten = await caller.forget({ keys: [removed.key], id: forgetId });
      await caller.store([{ ...one, content: "second" }, removed]);
      const seconds = isTimeOwn ? NEARLY_ALL_S : A_WHILE_S;
      await passTime(seconds / 2);
      await caller.store(entry());
      await passTime(seconds / 2);
      const when = `sent again after ${seconds} s`;
      const storedAgain = await caller.store([one, removed], { id: storeId });
      expect.equal(
        storeFate(storedAgain),
        storeFate(stored),
        `the result of a store ${when}, compared with the first`,
      );
      const forgottenAgain = await caller.forget({ keys: [removed.key], id: forgetId });
      expect.equal(
        forgetFate(forgottenAgain),
        forgetFate(forgotten),
        `the result of a forget ${when}, compared with the first`,
      );
      const { receipts } = await caller.status(storeId);
      expect.equal(
        receipts.length,
        2,
        `receipts in the status of a store of 2 entries, ${seconds} s after it`,
      );
      const { entries } = await caller.retrieve({ keys: [one.key, removed.key] });
      const contents = entries.map(({ key, content }) => ({ key, content }));
      const newest = [
        { key: one.key, content: "second" },
        { key: removed.key, content: removed.content },
      ];
      expect.sameMembers(contents, newest, `keys and contents after a store and a forget were ${when}`);
    },
  }),
  hostTierCheck({
    id: "retry/timeout-is-not-remembered",
    clauses: ["RETRY-5", "RETRY-1"],
    async run(t) {
      const entries = Array.from({ length: 200 }, () => t.entry({ content: "a text to embed ".repeat(20) }));
      const sent = request(t, "store", { entries, id: newRequestId() });
      // The first store may time out after 1 ms or not. The repetition must get the receipts in both cases.
      await answer(t, "a store of 200 entries with a deadline of 1 ms", "store", { ...sent, deadline_ms: 1 });
      const what = "a store of 200 entries that is repeated with time enough";
      const options = { timeoutMs: 20_000 };
      const again = await accepted(t, what, "store", { ...sent, deadline_ms: 20_000 }, options);
      const receipts = again.receipts as { readonly outcome: string }[];
      t.expect.equal(receipts.length, 200, `receipts of ${what}`);
      const outcomes = new Set(receipts.map(({ outcome }) => outcome));
      t.expect.equal([...outcomes], ["created"], `outcomes of ${what}`);
      const { total } = await t.caller.retrieve({ limit: 0 });
      t.expect.equal(total, 200, `entries after ${what}`);
    },
  }),
];
