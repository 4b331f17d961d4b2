import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { readEntry } from "../../../fixtures/read-entry.js";

/** Values that faulty code converts or drops. */
const CONTENTS = [
  null,
  false,
  0,
  "",
  [],
  {},
  "0",
  "null",
  1.5,
  -1e-7,
  2 ** 53 - 1,
  [null, [false, ""], {}],
  { "": 1, a: { b: { c: [{ d: null }] } }, text: 5 },
  'quotes " and \\, a line\nbreak, \u0000, zo\u00eb, 🦊',
];

const METADATA = {
  text: "1",
  number: 1,
  fraction: -0.5,
  zero: 0,
  yes: true,
  no: false,
  word: "true",
  empty: "",
  list: ["b", "a", "1"],
  one: ["x"],
  none: [],
  "A-z_9": "a name of every kind of character",
  ["n".repeat(64)]: "the longest name",
};

export const entryFieldsChecks: readonly Check[] = [
  memoryCheck({
    id: "entry/absent-fields-take-their-default",
    clauses: ["ENTRY-3", "ENTRY-6", "ENTRY-10", "ENTRY-18"],
    async run({ caller, entry, expect }) {
      const bare = entry();
      await caller.store(bare);
      const read = await readEntry(caller, bare.key, ["context"]);
      const what = "of an entry stored with only key, content and tier";
      expect.equal(read?.tags, [], `tags ${what}`);
      expect.equal(read?.source, caller.agent, `source ${what}, expected to be the agent`);
      expect.equal(read?.importance, 1, `importance ${what}`);
      expect.equal(
        read?.occurred_at,
        read?.timestamps.created,
        `occurred_at ${what}, expected to be \`timestamps.created\``,
      );
      expect.equal(read?.ttl, null, `ttl ${what}`);
      for (const name of ["expires_at", "metadata", "text", "context", "group"] as const) {
        expect.equal(read?.[name], undefined, `${name} ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "entry/fields-are-returned-as-stored",
    clauses: ["ENTRY-9", "ENTRY-3", "ENTRY-10"],
    async run({ caller, entry, expect, tier }) {
      const fields = {
        tags: ["b", "A", "a", "with blank", "zo\u00eb"],
        source: " turn-42 ",
        text: "What to index,\n as it was ",
        context: "said before it",
        group: "a/conversation",
        occurred_at: 1_234_567_890.125,
        importance: 0.375,
        metadata: METADATA,
      };
      const full = entry(fields);
      await caller.store(full);
      const read = await readEntry(caller, full.key, ["context"]);
      for (const name of Object.keys(fields) as (keyof typeof fields)[]) {
        expect.equal(read?.[name], fields[name], `${name} of an entry as it was stored`);
      }
      const { tier: ownTier, namespace } = read ?? {};
      expect.equal(
        { tier: ownTier, namespace },
        { tier, namespace: caller.namespace },
        "its tier and namespace",
      );
    },
  }),
  memoryCheck({
    id: "entry/content-is-any-json",
    clauses: ["ENTRY-17"],
    async run({ caller, entry, expect }) {
      const batch = CONTENTS.map((content) => entry({ content }));
      const { errors } = await caller.store(batch);
      expect.equal(errors, [], "errors of a store of contents of every kind of JSON value");
      for (const { key, content } of batch) {
        const read = await readEntry(caller, key);
        expect.holds(
          read !== undefined,
          `the entry stored with content ${JSON.stringify(content)}`,
          read,
          "one",
        );
        expect.equal(
          read?.content,
          content,
          `content of the entry stored with content ${JSON.stringify(content)}`,
        );
      }
    },
  }),
  memoryCheck({
    id: "entry/importance-at-creation",
    clauses: ["ENTRY-6"],
    async run({ caller, entry, expect }) {
      const [both, scored, least, plain] = [
        entry({ importance: 0.25, score: 0.75 }),
        entry({ score: 0.5 }),
        entry({ score: 0 }),
        entry({ importance: null }),
      ];
      await caller.store([both, scored, least, plain]);
      const cases = [
        [both, 0.25, "importance 0.25 and score 0.75"],
        [scored, 0.5, "score 0.5 and no importance"],
        [least, 0, "score 0 and no importance"],
        [plain, 1, "neither score nor importance"],
      ] as const;
      for (const [{ key }, importance, given] of cases) {
        const read = await readEntry(caller, key);
        expect.equal(read?.importance, importance, `importance of an entry created with ${given}`);
        expect.equal(read?.score, importance, `score, without a query, of an entry created with ${given}`);
      }
    },
  }),
  memoryCheck({
    id: "entry/author-is-the-agent",
    clauses: ["ENTRY-16"],
    async run({ caller, entry, expect }) {
      const one = entry({ source: "another name" });
      await caller.store(one);
      const read = await readEntry(caller, one.key);
      expect.equal(read?.author, caller.agent, "author of an entry stored with the source `another name`");
      expect.equal(read?.source, "another name", "source of that entry");
    },
  }),
  memoryCheck({
    id: "entry/author-is-of-the-current-revision",
    clauses: ["ENTRY-16", "UPD-5"],
    features: ["shared"],
    tiers: ["semantic"],
    async run({ caller, agent, entry, expect }) {
      const second = agent({ agent: "second" });
      const one = entry({ content: "one", source: "a document" });
      await caller.store(one);
      await second.store({ ...one, content: "two" });
      const updated = await readEntry(caller, one.key);
      expect.equal(updated?.content, "two", "content after an update by another agent of the tenant");
      expect.equal(updated?.author, second.agent, "author after an update by another agent of the tenant");
      const { receipts } = await caller.store({ ...one, content: "two" });
      expect.equal(
        receipts[0]?.outcome,
        "unchanged",
        "outcome of the same store by the agent that created it",
      );
      const same = await readEntry(caller, one.key);
      expect.equal(same?.author, second.agent, "author after a store that changes nothing, by another agent");
    },
  }),
  memoryCheck({
    id: "entry/revision-grows",
    clauses: ["ENTRY-13"],
    async run({ caller, entry, expect }) {
      const { key } = entry();
      const revisions: number[] = [];
      const store = async (content: string) => {
        const { receipts } = await caller.store(entry({ key, content }));
        revisions.push(receipts[0]?.revision ?? 0);
      };
      await store("created");
      await store("updated");
      await caller.forget({ keys: [key] });
      await store("created after a forget");
      await store("updated after a forget");
      const grown = revisions.map((revision, at) => at === 0 || revision > revisions[at - 1]!);
      const what = "revisions of a key that is created, updated, forgotten, created and updated";
      expect.holds(!grown.includes(false), what, revisions, "each above the one before it");
      const read = await readEntry(caller, key);
      expect.equal(read?.revision, revisions.at(-1), "revision of the entry, as in the last receipt");
    },
  }),
  memoryCheck({
    id: "entry/revision-of-every-change-is-another",
    clauses: ["ENTRY-13"],
    async run({ caller, entry, expect }) {
      const { key } = entry();
      const stores = Array.from({ length: 24 }, (_, at) =>
        caller.store(entry({ key, content: `change ${at}` })),
      );
      const revisions = (await Promise.all(stores)).flatMap(({ receipts }) =>
        receipts.map(({ revision }) => revision),
      );
      expect.equal(
        new Set(revisions).size,
        24,
        "different revisions of 24 changes of a key, all sent at once",
      );
      const read = await readEntry(caller, key);
      expect.equal(read?.revision, Math.max(...revisions), "revision of the entry, the highest of those 24");
    },
  }),
  memoryCheck({
    id: "entry/revision-is-the-time-in-microseconds",
    clauses: ["ENTRY-14"],
    async run({ caller, entry, expect, now }) {
      const batch = [entry(), entry(), entry()];
      const { receipts } = await caller.store(batch);
      const revisions = receipts.map(({ revision }) => revision).sort((a, b) => a - b);
      const first = revisions[0] ?? 0;
      const read = await readEntry(caller, batch[0]!.key);
      expect.holds(read !== undefined, "an entry, retrieved by its key after a store of three", read);
      const createdUs = Math.floor((read?.timestamps.created ?? 0) * 1e6);
      const what = "lowest revision of the first store in a partition, in microseconds";
      expect.atLeast(first, createdUs, `${what}: not before \`timestamps.created\``);
      expect.atMost(first, Math.ceil(now() * 1e6), `${what}: not after the store was answered`);
      expect.equal(revisions, [first, first + 1, first + 2], "revisions of three entries of one store");
    },
  }),
];
