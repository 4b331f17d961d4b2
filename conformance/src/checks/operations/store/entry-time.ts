import { type Check, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import { readEntry } from "../../../fixtures/read-entry.js";

/** Maximum difference between the clocks of two machines. */
const CLOCK_SECONDS = 600;

export const entryTimeChecks: readonly Check[] = [
  memoryCheck({
    id: "entry/timestamps-are-unix-seconds",
    clauses: ["ENTRY-1", "ENTRY-21", "ENV-9"],
    async run({ caller, entry, expect, now }) {
      const [one, other] = [entry(), entry()];
      const at = now();
      await caller.store([one, other]);
      const read = await readEntry(caller, one.key);
      const { created, updated, accessed = 0 } = read?.timestamps ?? {};
      expect.near(
        created,
        at,
        CLOCK_SECONDS,
        "`timestamps.created` of a new entry, compared with the time of its store",
      );
      expect.equal(updated, created, "`timestamps.updated` of a new entry, compared with `created`");
      const otherCreated = (await readEntry(caller, other.key))?.timestamps.created;
      expect.equal(otherCreated, created, "`timestamps.created` of two new entries of one store");
      expect.atLeast(accessed, created ?? 0, "`timestamps.accessed` of a new entry, compared with `created`");
    },
  }),
  memoryCheck({
    id: "entry/accessed-is-exact-in-working",
    clauses: ["ENTRY-1"],
    tiers: ["working"],
    async run({ caller, entry, expect, passTime }) {
      const [one, later] = [entry(), entry()];
      await caller.store(one);
      await passTime(1);
      await caller.retrieve({ keys: [one.key] });
      await caller.store(later);
      const { created = 0, accessed = 0 } = (await readEntry(caller, one.key))?.timestamps ?? {};
      const what =
        "`timestamps.accessed` minus `created` of an entry that was returned a second after its store";
      expect.atLeast(accessed - created, 0.9, what);
      const after = await readEntry(caller, later.key);
      const end = (after?.timestamps.accessed ?? 0) + 1;
      expect.atMost(
        accessed,
        end,
        "`timestamps.accessed` compared with an entry returned after it, plus 1 s",
      );
    },
  }),
  memoryCheck({
    id: "entry/ttl-null-and-zero-are-no-end",
    clauses: ["ENTRY-4", "ENTRY-18"],
    async run({ caller, entry, expect, passTime }) {
      const batch = [entry({ ttl: 0 }), entry({ ttl: null }), entry({ expires_at: null })];
      const { errors } = await caller.store(batch);
      expect.equal(errors, [], "errors of a store of entries with ttl 0, ttl null and expires_at null");
      await passTime(1);
      for (const [{ key }, given] of [
        [batch[0]!, "ttl 0"],
        [batch[1]!, "ttl null"],
        [batch[2]!, "expires_at null"],
      ] as const) {
        const read = await readEntry(caller, key);
        expect.equal(read?.key, key, `key of the entry stored with ${given}, a second later`);
        expect.equal(read?.ttl, null, `ttl of the entry stored with ${given}`);
        expect.equal(read?.expires_at, undefined, `expires_at of the entry stored with ${given}`);
      }
    },
  }),
  memoryCheck({
    id: "entry/expires-at-is-stronger-than-ttl",
    clauses: ["ENTRY-5", "ENTRY-18"],
    features: ["ttl"],
    async run({ caller, entry, expect, now }) {
      const expires_at = Math.round(now()) + 1_000;
      for (const ttl of [1, 5_000, 0, null]) {
        const one = entry({ ttl, expires_at });
        await caller.store(one);
        const read = await readEntry(caller, one.key);
        const rest = expires_at - (read?.timestamps.updated ?? 0);
        const what = `an entry stored with ttl ${ttl} and an expires_at 1000 seconds ahead`;
        expect.equal(read?.expires_at, expires_at, `expires_at of ${what}`);
        expect.near(
          read?.ttl,
          rest,
          0.01,
          `ttl of ${what}, expected to be the time left until its expires_at`,
        );
      }
    },
  }),
  memoryCheck({
    id: "entry/end-is-returned",
    clauses: ["ENTRY-18", "ENTRY-4"],
    features: ["ttl"],
    async run({ caller, entry, expect, now, passTime }) {
      const expires_at = Math.round(now()) + 1_000.5;
      const [lasting, dated] = [entry({ ttl: 3_600 }), entry({ expires_at })];
      await caller.store([lasting, dated]);
      await passTime(1);
      const read = await readEntry(caller, lasting.key);
      const accepted = read?.timestamps.updated ?? 0;
      expect.equal(read?.ttl, 3_600, "ttl of an entry stored with ttl 3600, a second later");
      expect.near(read?.expires_at, accepted + 3_600, 0.01, "expires_at of an entry stored with ttl 3600");
      const ending = await readEntry(caller, dated.key);
      const rest = expires_at - (ending?.timestamps.updated ?? 0);
      expect.equal(ending?.expires_at, expires_at, "expires_at of an entry stored with one");
      expect.near(
        ending?.ttl,
        rest,
        0.01,
        "ttl of an entry stored with expires_at: from its acceptance to that time",
      );
    },
  }),
  memoryCheck({
    id: "entry/end-that-has-passed-ends-at-once",
    clauses: ["ENTRY-19"],
    features: ["ttl"],
    async run({ caller, entry, expect, now }) {
      const [fresh, former, other] = [entry(), entry({ content: "one" }), entry()];
      await caller.store([former, other]);
      const expires_at = now() - 5;
      const { errors } = await caller.store([
        { ...fresh, expires_at },
        { ...former, content: "two", expires_at },
      ]);
      const what = "a store of a new entry and an update with an expires_at of 5 seconds ago";
      expect.equal(errors, [], `errors of ${what}`);
      const { entries, total } = await caller.retrieve();
      const keys = entries.map(({ key }) => key);
      expect.equal(
        [keys, total],
        [[other.key], 1],
        `keys and total of a retrieve after ${what}, with a third entry`,
      );
    },
  }),
  pluginCheck({
    id: "entry/revision-grows-across-reopening",
    clauses: ["ENTRY-13", "PLUG-13"],
    features: ["durable"],
    async run({ caller, entry, expect, reopen }) {
      const [kept, forgotten] = [entry({ content: "one" }), entry({ content: "one" })];
      const before = await caller.store([kept, forgotten]);
      const updated = await caller.store([
        { ...kept, content: "two" },
        { ...forgotten, content: "two" },
      ]);
      await caller.forget({ keys: [forgotten.key] });
      await reopen();
      const again = await caller.store({ ...forgotten, content: "three" });
      const after = await caller.store({ ...kept, content: "three" });
      const last = [after.receipts[0]?.revision, again.receipts[0]?.revision];
      for (const [at, which] of ["an entry", "a forgotten entry"].entries()) {
        const revisions = [before.receipts[at]?.revision, updated.receipts[at]?.revision, last[at]];
        const [created = 0, changed = 0, reopened = 0] = revisions;
        const what = `revisions of ${which}: created, updated, and stored after the plugin was reopened`;
        expect.holds(
          created < changed && changed < reopened,
          what,
          revisions,
          "each above the one before it",
        );
      }
    },
  }),
];
