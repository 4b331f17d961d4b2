import { keyHash } from "@membus/protocol";
import { type Check, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import { inBatches } from "../../../fixtures/in-batches.js";
import {
  BATCH_SIZE,
  difference,
  noDifference,
  numbersByKeys,
  numbersFound,
  numbersOf,
  storeMany,
} from "../../../fixtures/many-entries.js";

const COUNT = 2_400;
const DEADLINE_MS = 14_000;
/** More partitions than are kept open at a time. */
const PARTITIONS = 300;
const fieldsOf = (at: number) => ({
  content: `heron number ${at}`,
  occurred_at: 10_000 - at,
  tags: [at % 3 === 0 ? "kept" : "gone"],
});

/** Forgets of many more entries than fit on a page. */
export const volumeForgetChecks: readonly Check[] = [
  memoryCheck({
    id: "volume/forget-takes-all-it-selects",
    clauses: ["FORGET-1", "FORGET-2", "FORGET-5", "FORGET-6"],
    async run(t) {
      const { caller, expect, features } = t;
      const held = await storeMany(t, caller, COUNT, fieldsOf);
      const selected = held.filter(({ tags }) => tags?.includes("gone"));
      const kept = held.filter(({ tags }) => tags?.includes("kept"));
      const by = { tags: ["gone"], deadline_ms: DEADLINE_MS };
      const what = `a forget by a tag that ${selected.length} of ${held.length} entries have`;
      const dry = await caller.forget({ ...by, dry_run: true });
      expect.equal(dry.deleted, selected.length, `\`deleted\` of ${what}, as a dry run`);
      const { deleted } = await caller.forget(by);
      expect.equal(deleted, selected.length, `\`deleted\` of ${what}`);
      const expectKept = (got: readonly number[], way: string) =>
        expect.equal(
          difference(got, numbersOf(kept)),
          noDifference(kept.length),
          `numbers ${way} after ${what}`,
        );
      expectKept(await numbersFound(caller, {}), "listed");
      expectKept(await numbersByKeys(caller, held), "found by their keys");
      if (features.full_text) {
        const found = await numbersFound(caller, { query: "heron", mode: "text" });
        expectKept(
          found.sort((a, b) => a - b),
          "found by a word",
        );
      }
      const keys = kept.slice(0, BATCH_SIZE).map(({ key }) => key);
      const byKeys = await caller.forget({ keys, deadline_ms: DEADLINE_MS });
      expect.equal(byKeys.deleted, keys.length, `\`deleted\` of a later forget of ${keys.length} keys`);
      const { total } = await caller.retrieve({ limit: 0 });
      expect.equal(total, kept.length - keys.length, "total after both forgets");
    },
  }),
  memoryCheck({
    id: "volume/subtree-holds-many",
    clauses: ["NS-6", "NS-8", "RET-3", "FORGET-1"],
    features: ["subtree"],
    async run(t) {
      const { caller, agent, expect } = t;
      const below = ["a", "a/0", "a/1", "a/1/2", "ab", "b/a"];
      const size = 400;
      const held = new Map<string, number>();
      await inBatches(below, async (path) => {
        const stored = await storeMany(t, agent({ below: path }), size, fieldsOf);
        held.set(path, stored.length);
      });
      const inside = below.slice(0, 4).reduce((sum, path) => sum + held.get(path)!, 0);
      const namespace = `${caller.namespace}/a/**`;
      const what = `of a/** with ${inside} entries in 4 namespaces`;
      const { total } = await caller.retrieve({ namespace, limit: 1 });
      expect.equal(total, inside, `total of a read ${what}`);
      const listed = await numbersFound(caller, { namespace });
      expect.equal(listed.length, inside, `entries on all pages of a read ${what}`);
      const { deleted } = await caller.forget({ namespace, all: true, deadline_ms: DEADLINE_MS });
      expect.equal(deleted, inside, `\`deleted\` of a forget ${what}`);
      for (const path of below) {
        const left = await agent({ below: path }).retrieve({ limit: 0 });
        const expected = path.startsWith("a/") || path === "a" ? 0 : held.get(path);
        expect.equal(left.total, expected, `total in ${path} after a forget of a/**`);
      }
    },
  }),
  pluginCheck({
    id: "volume/every-forgotten-is-reported",
    clauses: ["PLUG-11", "EVENT-4"],
    async run(t) {
      const { caller, expect, changes } = t;
      const held = await storeMany(t, caller, COUNT, fieldsOf);
      const before = changes.length;
      const selected = held.filter(({ tags }) => tags?.includes("gone"));
      await caller.forget({ tags: ["gone"] });
      const announced = changes.slice(before).filter(({ change }) => change.action === "forgotten");
      const hashes = announced.map(({ change }) => change.key_hash);
      const distinct = new Set(hashes);
      const missing = selected.filter(({ key }) => !distinct.has(keyHash(key)));
      expect.equal(
        { reported: hashes.length, distinct: distinct.size, missing: missing.length },
        { reported: selected.length, distinct: selected.length, missing: 0 },
        `changes reported of a forget of ${selected.length} entries`,
      );
    },
  }),
  pluginCheck({
    id: "volume/every-expired-is-reported",
    clauses: ["PLUG-11", "RET-16", "RET-3"],
    features: ["ttl"],
    async run(t) {
      const { caller, expect, changes, passTime, maintain } = t;
      const held = await storeMany(t, caller, COUNT, (at) => ({ content: at, ttl: at % 3 === 0 ? 600 : 10 }));
      const ended = held.filter(({ ttl }) => ttl === 10);
      const before = changes.length;
      await passTime(11);
      const { total } = await caller.retrieve({ limit: 0 });
      expect.equal(
        total,
        held.length - ended.length,
        `total after ${ended.length} of ${held.length} have expired`,
      );
      await maintain();
      const announced = changes.slice(before).filter(({ change }) => change.action === "expired");
      const distinct = new Set(announced.map(({ change }) => change.key_hash));
      const got = { reported: announced.length, distinct: distinct.size };
      const expected = { reported: ended.length, distinct: ended.length };
      expect.equal(
        got,
        expected,
        `changes reported after ${ended.length} of ${held.length} entries have expired`,
      );
    },
  }),
  // Other checks read all namespaces on a host, and one request covers a limited number of them.
  pluginCheck({
    id: "volume/many-partitions",
    clauses: ["SCOPE-2", "SCOPE-3", "SCOPE-4", "STORE-13"],
    async run({ caller, entry, expect }) {
      const paths = Array.from({ length: PARTITIONS }, (_, at) => `${caller.namespace}/${at % 7}/${at}`);
      const key = { id: "the same in all" };
      const storeIn = (content: string) =>
        inBatches(paths, (namespace) =>
          caller.store(entry({ key, content: content + namespace }), { namespace }),
        );
      await storeIn("first of ");
      await storeIn("second of ");
      const wrong: string[] = [];
      await inBatches(paths, async (namespace) => {
        const { entries, total } = await caller.retrieve({ namespace });
        if (total !== 1 || entries[0]?.content !== `second of ${namespace}`) wrong.push(namespace);
      });
      expect.equal(wrong.slice(0, 5), [], `namespaces, of ${PARTITIONS}, without their one entry`);
      const deleted: number[] = [];
      await inBatches(paths, async (namespace) => {
        deleted.push((await caller.forget({ namespace, all: true })).deleted);
      });
      const others = deleted.filter((count) => count !== 1);
      expect.equal(others.slice(0, 5), [], `\`deleted\` other than 1 of forgets in ${PARTITIONS} namespaces`);
    },
  }),
  memoryCheck({
    id: "volume/every-value-is-listed",
    clauses: ["LIST-1", "LIST-3", "LIST-9"],
    features: ["list"],
    async run(t) {
      const { caller, expect } = t;
      const fields = (at: number) => ({ ...fieldsOf(at), group: `group ${at}`, metadata: { at } });
      const held = await storeMany(t, caller, COUNT, fields);
      for (const field of ["group", "metadata.at", "key.at"]) {
        const { total } = await caller.list({ field, limit: 1 });
        expect.equal(
          total,
          held.length,
          `total of a list of ${field}, with a different value in each of ${held.length} entries`,
        );
      }
      const { items } = await caller.list({ field: "tags" });
      const counts = items.map(({ value, count }) => ({ value, count }));
      const tagged = (tag: string) => held.filter(({ tags }) => tags?.includes(tag)).length;
      const expected = ["gone", "kept"].map((value) => ({ value, count: tagged(value) }));
      expect.equal(counts, expected, `values and counts of a list of the tags of ${held.length} entries`);
    },
  }),
];
