import { type Check, memoryCheck } from "../../catalogue/check.js";
import type { EntryInput, MemoryAgent } from "../../memory-agent.js";

const AT_ONCE = 20;

/** Sends concurrent stores. Each has its number in the content. */
function storeAtOnce(caller: MemoryAgent, entry: EntryInput, fields: { if_revision?: number } = {}) {
  const contents = Array.from({ length: AT_ONCE }, (_, at) => ({ request: at, ...fields }));
  return Promise.all(contents.map((content) => caller.store({ ...entry, ...fields, content })));
}

/** Increments the number in an entry, with retries. Returns the number of refused attempts. */
async function increment(caller: MemoryAgent, key: EntryInput["key"], entry: EntryInput): Promise<number> {
  for (let refused = 0; ; refused++) {
    const [found] = (await caller.retrieve({ keys: [key] })).entries;
    const changed = { ...entry, key, content: Number(found?.content) + 1, if_revision: found?.revision ?? 0 };
    const { receipts } = await caller.store(changed);
    if (receipts.length === 1 || refused === 500) return refused;
  }
}

/** Consistency of concurrent requests to one partition. */
export const concurrencyChecks: readonly Check[] = [
  memoryCheck({
    id: "concurrency/one-entry-per-key",
    clauses: ["KEY-5", "STORE-8"],
    async run({ caller, entry, expect }) {
      const one = entry();
      const replies = await storeAtOnce(caller, one);
      const { entries, total } = await caller.retrieve({ keys: [one.key] });
      expect.equal(total, 1, `entries of a key after ${AT_ONCE} concurrent stores`);
      const receipts = replies.flatMap((reply) => reply.receipts);
      expect.equal(receipts.length, AT_ONCE, `receipts of ${AT_ONCE} concurrent stores of a key`);
      const created = receipts.filter(({ outcome }) => outcome === "created").length;
      expect.equal(
        created,
        1,
        `receipts with the outcome \`created\` of ${AT_ONCE} concurrent stores of a key`,
      );
      const newest = receipts.reduce((a, b) => (b.revision > a.revision ? b : a));
      const content = { request: receipts.indexOf(newest) };
      const got = entries.map((found) => ({ content: found.content, revision: found.revision }));
      const expected = [{ content, revision: newest.revision }];
      expect.equal(
        got,
        expected,
        "entry after concurrent stores of a key: the one with the highest revision",
      );
    },
  }),
  memoryCheck({
    id: "concurrency/every-key-is-kept",
    clauses: ["STORE-13", "STORE-4"],
    async run({ caller, entry, expect }) {
      const many = Array.from({ length: 40 }, () => entry());
      await Promise.all(many.map((one) => caller.store(one)));
      const { entries } = await caller.retrieve({ limit: 100 });
      const keys = entries.map(({ key }) => key);
      expect.sameMembers(
        keys,
        many.map(({ key }) => key),
        "keys after 40 concurrent stores of a key each",
      );
    },
  }),
  memoryCheck({
    id: "concurrency/compare-and-set-has-one-winner",
    clauses: ["UPD-7", "UPD-8"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const one = entry();
      for (const situation of ["of a new key", "of an existing key"]) {
        const [before] = (await caller.retrieve({ keys: [one.key] })).entries;
        const if_revision = before?.revision ?? 0;
        const replies = await storeAtOnce(caller, one, { if_revision });
        const won = replies.flatMap(({ receipts }, at) => (receipts.length > 0 ? [at] : []));
        const what = `concurrent stores with the same \`if_revision\` ${situation}`;
        expect.equal(won.length, 1, `receipts of ${AT_ONCE} ${what}`);
        const codes = replies.flatMap(({ errors }) => errors.map(({ code }) => code));
        expect.equal(codes, Array(AT_ONCE - 1).fill("conflict"), `errors of ${AT_ONCE} ${what}`);
        const [after] = (await caller.retrieve({ keys: [one.key] })).entries;
        expect.equal(after?.content, { request: won[0], if_revision }, `content after ${what}: the winner's`);
      }
    },
  }),
  memoryCheck({
    id: "concurrency/compare-and-set-loses-no-update",
    clauses: ["UPD-7", "STORE-13"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const counter = entry({ content: 0 });
      await caller.store(counter);
      const worker = async () => {
        for (let round = 0; round < 6; round++) await increment(caller, counter.key, counter);
      };
      await Promise.all([worker(), worker(), worker(), worker()]);
      const { entries } = await caller.retrieve({ keys: [counter.key] });
      const contents = entries.map(({ content }) => content);
      expect.equal(contents, [24], "a number after 24 increments by compare-and-set, 4 at a time");
    },
  }),
  memoryCheck({
    id: "concurrency/answered-is-visible",
    clauses: ["STORE-13"],
    async run({ caller, entry, expect }) {
      const writeAndRead = async (one: EntryInput) => {
        for (let round = 1; round <= 5; round++) {
          await caller.store({ ...one, content: round });
          const found = await caller.retrieve({ keys: [one.key] });
          const contents = found.entries.map(({ content }) => content);
          expect.equal(
            contents,
            [round],
            "content of a key right after the reply to a store, with other pending stores",
          );
          const listed = await caller.retrieve({ limit: 100 });
          const own = listed.entries.filter(({ key_hash }) => key_hash === found.entries[0]?.key_hash);
          const shown = own.map(({ content }) => content);
          expect.equal(shown, [round], "content of a key in a listing right after the reply to a store");
        }
      };
      await Promise.all(Array.from({ length: 6 }, () => writeAndRead(entry())));
    },
  }),
  memoryCheck({
    id: "concurrency/forget-counts-each-once",
    clauses: ["FORGET-5", "FORGET-1"],
    async run({ caller, entry, expect }) {
      const tags = ["red"];
      await caller.store([...Array.from({ length: AT_ONCE }, () => entry({ tags })), entry()]);
      const replies = await Promise.all([1, 2, 3].map(() => caller.forget({ tags })));
      const deleted = replies.reduce((sum, reply) => sum + reply.deleted, 0);
      expect.equal(
        deleted,
        AT_ONCE,
        `sum of \`deleted\` of 3 concurrent forgets that select the same ${AT_ONCE} entries`,
      );
      const { total } = await caller.retrieve();
      expect.equal(total, 1, "entries left after 3 concurrent forgets that leave 1");
    },
  }),
  memoryCheck({
    id: "concurrency/store-and-forget-add-up",
    clauses: ["STORE-12", "FORGET-5", "FORGET-6", "STORE-8"],
    async run({ caller, entry, expect }) {
      const tags = ["red"];
      for (let round = 0; round < 5; round++) {
        const storing = Array.from({ length: 8 }, () => caller.store(entry({ tags })));
        const forgetting = [1, 2].map(() => caller.forget({ tags }));
        const receipts = (await Promise.all(storing)).flatMap((reply) => reply.receipts);
        const forgotten = (await Promise.all(forgetting)).reduce((sum, { deleted }) => sum + deleted, 0);
        const stored = receipts.filter(({ outcome }) => outcome === "created").length;
        const { total } = await caller.retrieve({ tags });
        const what =
          "entries left after 8 stores and 2 forgets sent at once: the `created` ones minus `deleted`";
        expect.equal(total, stored - forgotten, what);
        const rest = await caller.forget({ tags });
        expect.equal(rest.deleted, total, "deleted by a forget of the remaining entries");
        expect.equal(receipts.length, 8, "receipts of 8 stores concurrent with 2 forgets");
      }
    },
  }),
];
