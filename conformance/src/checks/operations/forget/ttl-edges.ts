import { type Check, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import { ttlMaintenanceChecks } from "./ttl-maintenance.js";

/** Lifetimes in seconds, exact in binary so that each end is an exact time. */
const LIVES = [0.125, 0.5, 1, 1.5, 59.75, 3_600.5];
/** Shorter than any unit in which faulty code counts time. */
const MOMENT_S = 0.001;
const WORDS = { content: "a late ferry crosses the strait", tags: ["ferry"] };
/** The first lives that 32 bits cannot hold, in milliseconds and in seconds, and the longest one. */
const LONG_LIVES = [2_147_483.5, 2_147_483.75, 2_147_483_648, 4_294_967_296.5, 1e10];
const LAST_TIME = 1e11;

/** Expects every request to find exactly the entries with these ids. */
async function expectFound(t: PluginContext, ids: readonly string[], when: string): Promise<void> {
  const { caller, expect, features } = t;
  const keys = LIVES.flatMap((life) => [{ id: `ttl ${life}` }, { id: `end ${life}` }]);
  const listed = await caller.retrieve({ limit: 50 });
  expect.sameMembers(foundIds(listed), ids, `ids of a retrieve, ${when}`);
  expect.equal(listed.total, ids.length, `total of a retrieve, ${when}`);
  const named = foundIds(await caller.retrieve({ keys }));
  expect.sameMembers(named, ids, `ids of a retrieve by key, ${when}`);
  const counted = await caller.retrieve({ tags: WORDS.tags, limit: 0 });
  expect.equal(counted.total, ids.length, `total of a retrieve with limit 0, ${when}`);
  const { deleted } = await caller.forget({ tags: WORDS.tags, dry_run: true });
  expect.equal(deleted, ids.length, `\`deleted\` of a dry run, ${when}`);
  if (features.full_text) {
    const found = foundIds(await caller.retrieve({ query: "late ferry", mode: "text", limit: 50 }));
    expect.sameMembers(found, ids, `ids of a query by words, ${when}`);
  }
  if (features.similarity) {
    const found = await caller.retrieve({ query: WORDS.content, mode: "vector", limit: 50 });
    expect.sameMembers(foundIds(found), ids, `ids of a query by meaning, ${when}`);
  }
  if (features.list) {
    const { items } = await caller.list({ field: "tags" });
    const count = items.reduce((sum, item) => sum + item.count, 0);
    expect.equal(count, ids.length, `count of a list of tags, ${when}`);
  }
}

const lifeChecks: readonly Check[] = [
  pluginCheck({
    id: "ttl/ends-at-its-very-time",
    clauses: ["RET-16", "ENTRY-4", "PLUG-9"],
    features: ["ttl"],
    async run(t) {
      const start = Math.ceil(t.now()) + 1;
      t.holdTime(start);
      await t.caller.store([
        ...LIVES.map((ttl) => t.entry({ ...WORDS, key: { id: `ttl ${ttl}` }, ttl })),
        ...LIVES.map((life) => t.entry({ ...WORDS, key: { id: `end ${life}` }, expires_at: start + life })),
      ]);
      for (const [at, life] of LIVES.entries()) {
        const idsOf = (lives: readonly number[]) => lives.flatMap((one) => [`ttl ${one}`, `end ${one}`]);
        t.holdTime(start + life - MOMENT_S);
        await expectFound(t, idsOf(LIVES.slice(at)), `a millisecond before the end of a life of ${life} s`);
        t.holdTime(start + life);
        await expectFound(t, idsOf(LIVES.slice(at + 1)), `at the very end of a life of ${life} s`);
      }
    },
  }),
  pluginCheck({
    id: "ttl/key-is-free-at-the-very-end",
    clauses: ["RET-16", "STORE-8", "ENTRY-19"],
    features: ["ttl"],
    async run({ caller, entry, expect, features, now, holdTime }) {
      const start = Math.ceil(now()) + 1;
      holdTime(start);
      const [ending, guarded, lasting] = [entry({ ttl: 2.5 }), entry({ ttl: 2.5 }), entry()];
      await caller.store([ending, guarded, lasting]);
      holdTime(start + 2.5);
      const again = await caller.store(entry({ key: ending.key }));
      const what = "a store over an entry at the very end of it";
      expect.equal(again.receipts[0]?.outcome, "created", `outcome of ${what}`);
      if (features.conditional) {
        const { errors } = await caller.store(entry({ key: guarded.key, if_revision: 0 }));
        expect.equal(errors, [], `errors of ${what}, with \`if_revision\` 0`);
      }
      const over = { expires_at: start + 2.5 };
      const late = await caller.store([entry(over), { ...lasting, ...over, content: "changed" }]);
      const stored = "a store of a new entry, and of an update, with an `expires_at` that is now";
      expect.equal(late.errors, [], `errors of ${stored}`);
      const { entries } = await caller.retrieve({ keys: [lasting.key] });
      expect.equal(entries, [], `entries of the updated key after ${stored}`);
      const { total } = await caller.retrieve();
      expect.equal(total, features.conditional ? 2 : 1, `total after ${stored}`);
    },
  }),
  memoryCheck({
    id: "ttl/fractions-count",
    clauses: ["ENTRY-4", "ENTRY-18", "ENV-9"],
    features: ["ttl"],
    async run({ caller, entry, expect, passTime }) {
      const lives = [60.25, 60.5, 3_600.75, 86_400.125, 1_000_000.0625];
      const entries = lives.map((ttl) => entry({ ttl }));
      const short = [0.001, 0.2, 0.5].map((ttl) => entry({ ttl }));
      await caller.store([...entries, ...short]);
      await passTime(0.6);
      for (const [at, { key }] of entries.entries()) {
        const [read] = (await caller.retrieve({ keys: [key] })).entries;
        const what = `of an entry stored with ttl ${lives[at]}`;
        expect.near(read?.ttl, lives[at]!, 0.001, `ttl ${what}`);
        const rest = (read?.expires_at ?? 0) - (read?.timestamps.updated ?? 0);
        expect.near(rest, lives[at]!, 0.001, `expires_at ${what}, minus \`timestamps.updated\``);
      }
      const left = await caller.retrieve({ keys: short.map(({ key }) => key) });
      expect.equal(left.entries, [], "entries left 0.6 s after stores with ttl 0.001, 0.2 and 0.5");
    },
  }),
  memoryCheck({
    id: "ttl/long-lives-last",
    clauses: ["ENTRY-4", "ENTRY-18"],
    features: ["ttl"],
    async run({ caller, entry, expect, passTime }) {
      const entries = LONG_LIVES.map((ttl) => entry({ key: { id: ttl }, ttl }));
      const last = entry({ key: { id: "last" }, expires_at: LAST_TIME });
      const { errors } = await caller.store([...entries, last]);
      expect.equal(errors, [], "errors of a store of entries with lives of 25 days to 300 years");
      await passTime(0.2);
      const found = await caller.retrieve({ limit: 50 });
      expect.sameMembers(
        foundIds(found),
        [...LONG_LIVES, "last"],
        "ids right after a store of entries with lives of 25 days to 300 years",
      );
      for (const { key, ttl, expires_at } of found.entries) {
        if (key.id === "last") expect.equal(expires_at, LAST_TIME, "expires_at of the last possible time");
        else expect.near(ttl, Number(key.id), 0.001, `ttl of an entry stored with ttl ${key.id}`);
      }
    },
  }),
  pluginCheck({
    id: "ttl/long-lives-end-in-their-turn",
    clauses: ["ENTRY-4", "RET-16", "PLUG-9"],
    features: ["ttl"],
    // A session of the working tier ends when it is idle for a long time.
    tiers: ["episodic", "semantic"],
    async run({ caller, entry, expect, now, holdTime, maintain }) {
      const start = Math.ceil(now()) + 1;
      holdTime(start);
      await caller.store(LONG_LIVES.map((ttl) => entry({ key: { id: ttl }, ttl })));
      for (const [at, life] of LONG_LIVES.entries()) {
        await maintain();
        for (const [moment, from, when] of [
          [MOMENT_S, at, "just before"],
          [0, at + 1, "at"],
        ] as const) {
          holdTime(start + life - moment);
          const found = foundIds(await caller.retrieve({ limit: 50 }));
          const what = `ids ${when} the end of an entry with ttl ${life}, after maintenance`;
          expect.sameMembers(found, LONG_LIVES.slice(from), what);
        }
      }
    },
  }),
];

/** Time of the second stores, in seconds after the first ones. */
const CHANGED_S = 5;

const changedChecks: readonly Check[] = [
  pluginCheck({
    id: "ttl/former-end-ends-nothing",
    clauses: ["UPD-4", "RET-16", "RETRY-1", "UPD-7", "PLUG-11"],
    features: ["ttl"],
    async run({ caller, entry, expect, features, now, holdTime, maintain, changes }) {
      const start = Math.ceil(now()) + 1;
      holdTime(start);
      const named = (id: string, ttl: number | null, content = "first") =>
        entry({ key: { id }, ttl, content });
      const id = newRequestId();
      const repeated = [named("repeated", 10)];
      await caller.store(
        ["longer", "freed", "dated", "renewed", "read", "refused"].map((one) => named(one, 10)),
      );
      await caller.store([named("shorter", 30), named("bound", null)]);
      await caller.store(repeated, { id });
      holdTime(start + CHANGED_S);
      await caller.store([
        named("longer", 30),
        named("freed", null),
        named("renewed", 10),
        named("shorter", 3),
      ]);
      await caller.store([named("bound", 3, "second")]);
      await caller.store(entry({ key: { id: "dated" }, content: "first", expires_at: start + 20 }));
      await caller.retrieve({ keys: [{ id: "read" }] });
      await caller.store(repeated, { id });
      if (features.conditional) await caller.store({ ...named("refused", 30), if_revision: 1 });
      const ends = [
        [8, ["bound", "shorter"]],
        [10, ["read", "refused", "repeated"]],
        [15, ["renewed"]],
        [20, ["dated"]],
        [35, ["longer"]],
      ] as const;
      let left = [...ends.flatMap(([, ids]) => ids), "freed"];
      const expectLeft = async (when: string) => {
        await maintain();
        const found = foundIds(await caller.retrieve({ limit: 50 }));
        expect.sameMembers(found, left, `ids left ${when}, of entries that got another end after 5 s`);
        const expired = changes.filter(({ change }) => change.action === "expired");
        const reported = expired.map(({ change }) => change.key.id);
        const over = ends.flatMap(([, ids]) => ids.filter((one) => !left.includes(one)));
        expect.sameMembers(reported, over, `ids of the changes \`expired\` ${when}, each once`);
      };
      for (const [at, ids] of ends) {
        holdTime(start + at - MOMENT_S);
        await expectLeft(`a millisecond before ${at} s`);
        left = left.filter((one) => !(ids as readonly string[]).includes(one));
        holdTime(start + at);
        await expectLeft(`after ${at} s`);
      }
    },
  }),
];

/** Ends of entries at exact times. */
export const ttlEdgeChecks: readonly Check[] = [...lifeChecks, ...changedChecks, ...ttlMaintenanceChecks];
