import { keyHash, type MemoryKey } from "@membus/protocol";
import type { StoreItem } from "@membus/protocol/plugin";
import { type Check, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import { readEntry } from "../../../fixtures/read-entry.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import type { EntryInput } from "../../../memory-agent.js";

const ENTRIES_MAX = 1_000;
/** Number of entries that even an evicting tier can hold. */
const LATEST = 50;

/**
 * Returns items with gaps between the indexes, as a host sends them after refusing other entries of the
 * request.
 */
function itemsAt(entries: readonly (readonly [number, EntryInput])[]): StoreItem[] {
  return entries.map(([index, { key, content, if_revision }]) => ({
    index,
    key: key as MemoryKey,
    key_hash: keyHash(key as MemoryKey),
    content,
    if_revision,
    ttl: null,
    expires_at: null,
  }));
}

async function storeItems(t: PluginContext, entries: readonly StoreItem[]) {
  const { tenant, agent } = t.caller;
  const op = { tenant, agent, id: newRequestId(), digest: newRequestId(), accepted_at: t.now() };
  const request = { op, ack: "stored" as const, entries };
  const call = `onStore of entries with the indexes ${entries.map(({ index }) => index).join(", ")}`;
  return t.trace.record(call, request, () => t.plugin.onStore(t.scope(), request));
}

export const storeBatchChecks: readonly Check[] = [
  memoryCheck({
    id: "store/created-then-updated",
    clauses: ["STORE-8"],
    async run({ caller, entry, expect }) {
      const first = entry({ content: "one" });
      const created = await caller.store(first);
      const updated = await caller.store({ ...first, content: "two" });
      expect.equal(created.receipts[0]?.outcome, "created", "outcome of the first store of a key");
      expect.equal(
        updated.receipts[0]?.outcome,
        "updated",
        "outcome of a store of the same key with other content",
      );
    },
  }),
  memoryCheck({
    id: "store/outcomes-of-one-batch",
    clauses: ["STORE-8", "STORE-4", "STORE-7"],
    async run({ caller, entry, expect }) {
      const [same, changed, fresh] = [entry({ content: 1 }), entry({ content: 1 }), entry({ content: 1 })];
      const before = await caller.store([same, changed]);
      const { receipts, stored } = await caller.store([same, { ...changed, content: 2 }, fresh]);
      const what = "a store of an existing entry, one with other content, and a new one";
      expect.equal(
        receipts.map(({ index, outcome }) => [index, outcome]),
        [
          [0, "unchanged"],
          [1, "updated"],
          [2, "created"],
        ],
        `indexes and outcomes of ${what}`,
      );
      expect.equal(stored, [same.key, changed.key, fresh.key], `\`stored\` of ${what}`);
      expect.equal(
        receipts[0]?.revision,
        before.receipts[0]?.revision,
        `revision of the first receipt of ${what}`,
      );
      const hashes = [same, changed, fresh].map(({ key }) => keyHash(key as MemoryKey));
      expect.equal(
        receipts.map(({ key_hash }) => key_hash),
        hashes,
        `key hashes of the receipts of ${what}`,
      );
    },
  }),
  memoryCheck({
    id: "store/every-entry-of-a-batch-is-kept",
    clauses: ["STORE-7", "STORE-4"],
    async run({ caller, entry, expect }) {
      const batch = Array.from({ length: 7 }, () => entry());
      const { stored, receipts } = await caller.store(batch);
      expect.equal(
        receipts.map(({ index }) => index),
        [0, 1, 2, 3, 4, 5, 6],
        "indexes of the receipts of 7 entries",
      );
      expect.equal(
        stored,
        batch.map(({ key }) => key),
        "`stored`, the keys of the stored entries",
      );
      const { entries } = await caller.retrieve({ limit: 100 });
      expect.sameMembers(
        entries.map(({ key, content }) => [key, content]),
        batch.map(({ key, content }) => [key, content]),
        "keys and contents of all entries after a store of 7",
      );
    },
  }),
  memoryCheck({
    id: "store/a-thousand-entries",
    clauses: ["STORE-1", "STORE-7"],
    async run({ caller, entry, expect }) {
      const batch = Array.from({ length: ENTRIES_MAX }, () => entry());
      const { receipts, errors, stored } = await caller.store(batch);
      expect.equal(errors, [], "errors of a store of 1000 entries");
      const indexes = receipts.map(({ index }) => index);
      expect.equal(indexes, [...batch.keys()], "indexes of the receipts of a store of 1000 entries");
      expect.equal(stored.length, ENTRIES_MAX, "keys in `stored` of a store of 1000 entries");
      const latest = batch.slice(-LATEST).map(({ key }) => key);
      const { entries } = await caller.retrieve({ keys: latest });
      expect.sameMembers(
        entries.map(({ key }) => key),
        latest,
        "keys found of the last 50 entries of a store of 1000",
      );
    },
  }),
  memoryCheck({
    id: "store/is-seen-at-once",
    clauses: ["STORE-13", "STORE-12"],
    async run({ caller, entry, expect }) {
      const one = entry();
      const look = async () => {
        const [byKey] = (await caller.retrieve({ keys: [one.key] })).entries;
        const [listed] = (await caller.retrieve()).entries;
        const where = { field: "tags", op: "eq", value: "looked for" } as const;
        const [byField] = (await caller.retrieve({ where })).entries;
        const { total } = await caller.retrieve({ limit: 0 });
        return [byKey?.content, listed?.content, byField?.content, total];
      };
      for (const content of ["one", "two", "three"]) {
        await caller.store({ ...one, content, tags: ["looked for"] });
        const what = `contents by key, in a list and by a field, and the count, after a store of \`${content}\``;
        expect.equal(await look(), [content, content, content, 1], what);
      }
      await caller.forget({ keys: [one.key] });
      const what = "contents by key, in a list and by a field, and the count, after a forget";
      expect.equal(await look(), [undefined, undefined, undefined, 0], what);
    },
  }),
  memoryCheck({
    id: "store/queued-is-seen-at-once",
    clauses: ["STORE-6", "STORE-4", "STORE-13"],
    features: ["queued"],
    async run({ caller, entry, expect }) {
      const [one, other] = [entry({ content: "one" }), entry({ content: "one" })];
      const { errors, stored, receipts } = await caller.store([one, other], { ack: "queued" });
      const what = "a store of two new entries with ack `queued`";
      expect.equal(errors, [], `errors of ${what}`);
      expect.equal(stored, [one.key, other.key], `\`stored\` of ${what}`);
      const outcomes = receipts.map(({ outcome }) => outcome);
      const known = outcomes.every((outcome) => outcome === "created" || outcome === "queued");
      expect.holds(known, `outcomes of ${what}`, outcomes, "created or queued, for each");
      const { total } = await caller.retrieve();
      expect.equal(total, 2, `entries right after ${what}`);
      await caller.store({ ...one, content: "two" }, { ack: "queued" });
      const updated = await readEntry(caller, one.key);
      expect.equal(updated?.content, "two", "content right after an update with ack `queued`");
    },
  }),
  memoryCheck({
    id: "store/namespace-of-an-entry-is-ignored",
    clauses: ["NS-5", "ENTRY-7"],
    async run({ caller, agent, entry, expect }) {
      const below = agent({ below: "elsewhere" });
      const one = entry({ content: "one" });
      await caller.store(one);
      const read = await readEntry(caller, one.key);
      expect.equal(
        read?.namespace,
        caller.namespace,
        "namespace of an entry, equal to the namespace of its store",
      );
      await below.store({ ...(read as object), key: one.key, content: "two" });
      const moved = await readEntry(below, one.key);
      const what = "a retrieved entry, stored again in another namespace";
      expect.equal(moved?.content, "two", `content, found in that namespace, of ${what}`);
      expect.equal(moved?.namespace, below.namespace, `namespace of ${what}`);
      const kept = await readEntry(caller, one.key);
      expect.equal(kept?.content, "one", `content, in the namespace that it was retrieved from, of ${what}`);
    },
  }),
  pluginCheck({
    id: "store/fates-are-by-index",
    clauses: ["PLUG-6"],
    async run(t) {
      const { caller, entry, expect } = t;
      const [same, changed, fresh] = [entry(), entry(), entry()];
      const given = [
        [1, same],
        [4, { ...changed, content: "changed" }],
        [9, fresh],
      ] as const;
      await caller.store([same, changed]);
      const { receipts, errors } = await storeItems(t, itemsAt(given));
      const what = "onStore with the indexes 1 (unchanged), 4 (updated) and 9 (created)";
      expect.sameMembers(
        receipts.map(({ index, key_hash, outcome }) => [index, key_hash, outcome]),
        given.map(([index, { key }], at) => {
          return [index, keyHash(key as MemoryKey), ["unchanged", "updated", "created"][at]];
        }),
        `index, key hash and outcome of the receipts of ${what}`,
      );
      expect.equal(errors, [], `errors of ${what}`);
    },
  }),
  pluginCheck({
    id: "store/conflicts-are-by-index",
    clauses: ["PLUG-6", "UPD-7"],
    features: ["conditional"],
    async run(t) {
      const { caller, entry, expect } = t;
      const [taken, fresh] = [entry(), entry()];
      await caller.store(taken);
      const items = itemsAt([
        [3, { ...taken, if_revision: 0 }],
        [8, fresh],
      ]);
      const { receipts, errors } = await storeItems(t, items);
      const what = "onStore with the indexes 3 (in conflict) and 8 (created)";
      expect.equal(
        { errors: errors.map(({ index }) => index), receipts: receipts.map(({ index }) => index) },
        { errors: [3], receipts: [8] },
        `indexes of errors and receipts of ${what}`,
      );
      expect.equal(errors[0]?.error.code, "conflict", `code of the error of ${what}`);
    },
  }),
];
