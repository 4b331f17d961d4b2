import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { readEntry } from "../../../fixtures/read-entry.js";

const EXTENSION = {
  metadata: { lang: "en", rank: 2, checked: true, names: ["x", "y"] },
  context: "said before it",
  group: "a conversation",
  occurred_at: 1_700_000_000.5,
  importance: 0.25,
};

const CLEARED = {
  metadata: null,
  text: null,
  context: null,
  group: null,
  occurred_at: null,
  importance: null,
};

/** Returns a vector of the embedder's dimensions that it computes for no text. */
function givenVector({ expect, embedder }: MemoryContext) {
  expect.notEqual(embedder, undefined, "the embedder of a tier that declares similarity");
  const { id = "", dimensions = 2 } = embedder ?? {};
  const embedding = Array.from({ length: dimensions }, (_, at) => (at === 1 ? 1 : 0));
  return { embedding, embedding_model: id };
}

export const updateFieldsChecks: readonly Check[] = [
  memoryCheck({
    id: "update/replaces-content-tags-and-source",
    clauses: ["UPD-1"],
    async run({ caller, entry, expect }) {
      const first = entry({ content: { a: 1, b: 2 }, tags: ["x", "y"], source: "import" });
      await caller.store(first);
      await caller.store({ ...first, content: { c: 3 }, tags: ["z"], source: "form" });
      const second = await readEntry(caller, first.key);
      expect.equal(second?.content, { c: 3 }, "content after a store of {c: 3} over {a: 1, b: 2}");
      expect.equal(second?.tags, ["z"], "tags after a store with [z] over [x, y]");
      expect.equal(second?.source, "form", "source after a store with `form` over `import`");
    },
  }),
  memoryCheck({
    id: "update/absent-tags-and-source-take-their-default",
    clauses: ["UPD-1", "ENTRY-3"],
    async run({ caller, entry, expect }) {
      const { key } = entry();
      await caller.store(entry({ key, content: "one", tags: ["x", "y"], source: "import" }));
      await caller.store(entry({ key, content: "two" }));
      const updated = await readEntry(caller, key);
      expect.equal(updated?.tags, [], "tags after a store without them over [x, y]");
      expect.equal(
        updated?.source,
        caller.agent,
        "source after a store without it over `import`, expected to be the agent",
      );
    },
  }),
  memoryCheck({
    id: "update/absent-extension-fields-stay",
    clauses: ["UPD-2"],
    async run({ caller, entry, expect }) {
      const { key } = entry();
      await caller.store(entry({ key, content: "one", ...EXTENSION }));
      await caller.store(entry({ key, content: "two", tags: ["changed"] }));
      const updated = await readEntry(caller, key, ["context"]);
      for (const name of Object.keys(EXTENSION) as (keyof typeof EXTENSION)[]) {
        expect.equal(updated?.[name], EXTENSION[name], `${name} after a store of other content without it`);
      }
      expect.equal(updated?.content, "two", "content after the same store");
    },
  }),
  memoryCheck({
    id: "update/given-extension-fields-replace",
    clauses: ["UPD-2"],
    async run({ caller, entry, expect }) {
      const first = entry({ text: "what to index", ...EXTENSION });
      const other = {
        metadata: { rank: 3 },
        text: "what else to index",
        context: "said behind it",
        group: "another",
        occurred_at: 1_600_000_000,
        importance: 0.75,
      };
      await caller.store(first);
      await caller.store({ ...first, ...other });
      const updated = await readEntry(caller, first.key, ["context"]);
      for (const name of Object.keys(other) as (keyof typeof other)[]) {
        expect.equal(updated?.[name], other[name], `${name} after a store with another one`);
      }
    },
  }),
  memoryCheck({
    id: "update/null-clears-extension-fields",
    clauses: ["UPD-2", "ENTRY-10"],
    async run({ caller, entry, expect }) {
      const first = entry({ text: "what to index", ...EXTENSION });
      await caller.store(first);
      await caller.store({ ...first, ...CLEARED });
      const updated = await readEntry(caller, first.key, ["context"]);
      for (const name of ["metadata", "text", "context", "group"] as const) {
        expect.equal(updated?.[name], undefined, `${name} after a store with ${name} null`);
      }
      expect.equal(
        updated?.occurred_at,
        updated?.timestamps.created,
        "occurred_at after a store with occurred_at null, expected to be `timestamps.created` again",
      );
      expect.equal(updated?.importance, 1, "importance after a store with importance null");
    },
  }),
  memoryCheck({
    id: "update/score-is-ignored",
    clauses: ["ENTRY-6"],
    async run({ caller, entry, expect }) {
      const first = entry({ content: "one", score: 0.5 });
      await caller.store(first);
      await caller.store({ ...first, content: "two", score: 0.875 });
      const scored = await readEntry(caller, first.key);
      expect.equal(scored?.importance, 0.5, "importance after a store with score 0.875 over importance 0.5");
      await caller.store({ ...first, content: "three", score: 0.875, importance: 0.25 });
      const weighed = await readEntry(caller, first.key);
      expect.equal(
        weighed?.importance,
        0.25,
        "importance after a store with importance 0.25 and score 0.875",
      );
    },
  }),
  memoryCheck({
    id: "update/text-follows-the-content",
    clauses: ["UPD-3"],
    async run({ caller, entry, expect }) {
      const { key } = entry();
      await caller.store(entry({ key, content: "one", text: "text of one" }));
      await caller.store(entry({ key, content: "one", tags: ["changed"] }));
      const same = await readEntry(caller, key);
      expect.equal(same?.text, "text of one", "text after a store of the same content without text");
      await caller.store(entry({ key, content: "two", text: "text of two" }));
      const given = await readEntry(caller, key);
      expect.equal(given?.text, "text of two", "text after a store of other content with a text");
      await caller.store(entry({ key, content: "three" }));
      const derived = await readEntry(caller, key);
      expect.equal(derived?.text, undefined, "text after a store of other content without text");
    },
  }),
  memoryCheck({
    id: "update/embedding-follows-the-content",
    clauses: ["UPD-3"],
    features: ["similarity"],
    async run(t) {
      const { caller, entry, expect } = t;
      const given = givenVector(t);
      const { key } = entry();
      await caller.store(entry({ key, content: "one", ...given }));
      await caller.store(entry({ key, content: "one", tags: ["changed"] }));
      const same = await readEntry(caller, key, ["embedding"]);
      expect.equal(
        same?.embedding,
        given.embedding,
        "embedding after a store of the same content without one",
      );
      await caller.store(entry({ key, content: "two" }));
      const derived = await readEntry(caller, key, ["embedding"]);
      expect.equal(derived?.content, "two", "content after a store of other content without embedding");
      const what = "embedding after a store of other content without embedding, expected to be derived again";
      expect.notEqual(derived?.embedding, given.embedding, what);
    },
  }),
  memoryCheck({
    id: "update/null-clears-the-embedding",
    clauses: ["UPD-2"],
    features: ["similarity"],
    async run(t) {
      const { caller, entry, expect } = t;
      const given = givenVector(t);
      const one = entry({ content: "one" });
      await caller.store({ ...one, ...given });
      const { receipts } = await caller.store({ ...one, embedding: null });
      expect.equal(
        receipts[0]?.outcome,
        "updated",
        "outcome of a store with embedding null over a given one",
      );
      const cleared = await readEntry(caller, one.key, ["embedding"]);
      expect.equal(cleared?.content, "one", "content after a store with embedding null");
      const what =
        "embedding after a store of the same content with embedding null, expected to be derived again";
      expect.notEqual(cleared?.embedding, given.embedding, what);
    },
  }),
  memoryCheck({
    id: "update/end-is-that-of-the-store",
    clauses: ["UPD-4"],
    features: ["ttl"],
    async run({ caller, entry, expect, passTime }) {
      const [freed, prolonged, ended] = [entry({ ttl: 3_600 }), entry({ ttl: 1 }), entry({ content: "one" })];
      await caller.store([freed, prolonged, ended]);
      await caller.store([
        entry({ key: freed.key, content: "two" }),
        { ...prolonged, ttl: 3_600 },
        { ...ended, content: "two", ttl: 1 },
      ]);
      const endless = await readEntry(caller, freed.key);
      expect.equal(endless?.content, "two", "content after a store without expiry over one with ttl 3600");
      expect.equal(endless?.expires_at, undefined, "expires_at after a store without expiry over ttl 3600");
      expect.equal(endless?.ttl, null, "ttl after a store without expiry over ttl 3600");
      await passTime(2);
      const lasting = await readEntry(caller, prolonged.key);
      expect.equal(lasting?.ttl, 3_600, "ttl, 2 seconds after a store with ttl 3600 over one with ttl 1");
      const over = await readEntry(caller, ended.key);
      expect.equal(over, undefined, "the entry, 2 seconds after a store with ttl 1 over one without expiry");
    },
  }),
  memoryCheck({
    id: "update/keeps-created-and-seq",
    clauses: ["UPD-5", "ENTRY-15"],
    async run({ caller, entry, expect, passTime }) {
      const first = entry({ content: "one" });
      await caller.store(first);
      const created = await readEntry(caller, first.key);
      await passTime(1);
      await caller.store({ ...first, content: "two" });
      const updated = await readEntry(caller, first.key);
      expect.equal(updated?.content, "two", "content after an update");
      expect.equal(
        updated?.timestamps.created,
        created?.timestamps.created,
        "`timestamps.created` after an update a second later",
      );
      expect.equal(updated?.seq, created?.seq, "seq after an update a second later");
      expect.equal(created?.seq, created?.revision, "seq of a new entry, expected to be its revision");
    },
  }),
  memoryCheck({
    id: "update/sets-updated-and-revision",
    clauses: ["UPD-5"],
    async run({ caller, entry, expect, passTime }) {
      const first = entry({ content: "one" });
      await caller.store(first);
      const created = await readEntry(caller, first.key);
      await passTime(1);
      const { receipts } = await caller.store({ ...first, content: "two" });
      const updated = await readEntry(caller, first.key);
      const waited = (updated?.timestamps.updated ?? 0) - (created?.timestamps.updated ?? 0);
      expect.atLeast(
        waited,
        0.9,
        "seconds between `timestamps.updated` before and after an update 1 s later",
      );
      expect.equal(updated?.revision, receipts[0]?.revision, "revision after an update, as in its receipt");
      const growth = (updated?.revision ?? 0) - (created?.revision ?? 0);
      expect.atLeast(growth, 1, "growth of the revision by an update");
    },
  }),
];
