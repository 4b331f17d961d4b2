import { isMemoryError } from "@membus/protocol";
import { type Check, hostTierCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import { foundIds } from "../../fixtures/found-ids.js";
import { readEntry } from "../../fixtures/read-entry.js";
import type { EntryInput } from "../../memory-agent.js";

const ENOUGH = 20;
const EACH_AT_MOST = 500;

/**
 * Stores entries one after another until it is stopped or the host is gone. Reports each acknowledged entry.
 */
async function storeUntil(
  { caller, entry }: Pick<HostContext, "caller" | "entry">,
  tell: (acknowledged: EntryInput) => void,
  isStopped: () => boolean,
): Promise<void> {
  for (let count = 0; count < EACH_AT_MOST && !isStopped(); count++) {
    const one = entry();
    try {
      const { stored } = await caller.store(one);
      if (stored.length === 1) tell(one);
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      return;
    }
  }
}

/** Kills the host while several agents store, and starts it again. Returns the acknowledged entries. */
async function restartWhileStoring(t: HostContext): Promise<EntryInput[]> {
  const acknowledged: EntryInput[] = [];
  let isStopped = false;
  let working: Promise<unknown> = Promise.resolve();
  await new Promise<unknown>((resolve, reject) => {
    const tell = (one: EntryInput) => {
      if (acknowledged.push(one) === ENOUGH) resolve(undefined);
    };
    working = Promise.all([1, 2, 3, 4].map(() => storeUntil(t, tell, () => isStopped)));
    working.then(resolve, reject);
  });
  await t.restart();
  isStopped = true;
  // Pending requests of a killed host get no reply.
  working.catch(() => undefined);
  return acknowledged;
}

/** Expects the revisions of existing, forgotten and overwritten keys to grow after a restart. */
async function expectRevisionsGrow({ caller, entry, expect, restart }: HostContext): Promise<void> {
  const batch = ["kept", "forgotten", "new"].map((id) => entry({ key: { id } }));
  const [kept, forgotten, fresh] = batch as [EntryInput, EntryInput, EntryInput];
  const store = async (...entries: EntryInput[]) =>
    (await caller.store(entries)).receipts.map(({ revision }) => revision ?? 0);
  for (let round = 0; round < 5; round++)
    await store({ ...kept, content: round }, { ...forgotten, content: round });
  const before = await store({ ...kept, content: "last" }, { ...forgotten, content: "last" });
  await caller.forget({ keys: [forgotten.key] });
  const [newest = 0] = await store(fresh);
  await restart();
  const after = await store({ ...forgotten, content: "again" }, { ...kept, content: "again" });
  const what = "after a kill and a start, compared with before";
  expect.atLeast(after[1] ?? 0, (before[0] ?? 0) + 1, `revision of a key that is stored again ${what}`);
  expect.atLeast(
    after[0] ?? 0,
    (before[1] ?? 0) + 1,
    `revision of a forgotten key that is stored again ${what}`,
  );
  const [updated = 0] = await store({ ...fresh, content: "again" });
  expect.atLeast(updated, newest + 1, `revision of a key that was stored once and is stored again ${what}`);
  const read = await readEntry(caller, kept.key);
  expect.equal(
    read?.revision,
    after[1],
    `revision of an entry that was stored again ${what}, as it is returned`,
  );
}

/** State of a host after it was killed and started again. */
export const durabilityRestartChecks: readonly Check[] = [
  hostTierCheck({
    id: "durability/entries-survive-restart",
    clauses: ["DUR-1"],
    features: ["durable"],
    provisions: ["restart"],
    turn: "alone",
    async run({ caller, entry, expect, restart }) {
      await caller.store([
        entry({ key: { id: "a" }, metadata: { lang: "en" }, tags: ["red"] }),
        entry({ key: { id: "b" }, content: { nested: [1, null] } }),
      ]);
      const read = async () =>
        (await caller.retrieve({ order: "oldest" })).entries.map(
          ({ key, content, tags, metadata, revision }) => ({ key, content, tags, metadata, revision }),
        );
      const before = await read();
      expect.equal(before.length, 2, "entries after a store of 2");
      await restart();
      expect.equal(
        await read(),
        before,
        "entries after the host was killed and started again, compared with before",
      );
    },
  }),
  hostTierCheck({
    id: "durability/acknowledged-survives-restart",
    clauses: ["DUR-1", "DUR-2"],
    features: ["durable"],
    provisions: ["restart"],
    turn: "alone",
    async run(t) {
      const acknowledged = await restartWhileStoring(t);
      t.expect.atLeast(
        acknowledged.length,
        ENOUGH,
        "stores that were acknowledged before the host was killed",
      );
      const keys = acknowledged.map(({ key }) => key);
      const { entries } = await t.caller.retrieve({ keys });
      const found = entries.map(({ key }) => key);
      t.expect.sameMembers(found, keys, "keys after a kill during stores: the acknowledged ones, each once");
    },
  }),
  hostTierCheck({
    id: "durability/forgotten-stays-forgotten-after-restart",
    clauses: ["DUR-2", "FORGET-6"],
    features: ["durable"],
    provisions: ["restart"],
    turn: "alone",
    async run({ caller, entry, expect, restart }) {
      const named = (id: string) => entry({ key: { id }, tags: ["red"] });
      await caller.store([named("kept"), named("forgotten")]);
      await caller.forget({ keys: [{ id: "forgotten" }] });
      await restart();
      const found = await caller.retrieve({ tags: ["red"] });
      expect.equal(foundIds(found), ["kept"], "entries after a kill and a start, with one of two forgotten");
      expect.equal(found.total, 1, "total after a kill and a start, with one of two forgotten");
    },
  }),
  hostTierCheck({
    id: "durability/results-survive-restart",
    clauses: ["RETRY-4"],
    features: ["durable"],
    provisions: ["restart"],
    turn: "alone",
    async run({ caller, entry, expect, restart }) {
      const one = entry({ content: "first" });
      const [storeId, forgetId] = [`store ${caller.namespace}`, `forget ${caller.namespace}`];
      const stored = await caller.store(one, { id: storeId });
      const forgotten = await caller.forget({ keys: [one.key], id: forgetId });
      await caller.store({ ...one, content: "second" });
      await restart();
      const storedAgain = await caller.store(one, { id: storeId });
      expect.equal(
        storedAgain.receipts,
        stored.receipts,
        "receipts of a store that is repeated after a kill and a start",
      );
      const forgottenAgain = await caller.forget({ keys: [one.key], id: forgetId });
      const { deleted, receipt } = forgottenAgain;
      const first = { deleted: forgotten.deleted, receipt: forgotten.receipt };
      const what = "`deleted` and receipt of a forget that is repeated after a kill and a start";
      expect.equal({ deleted, receipt }, first, what);
      const { entries } = await caller.retrieve();
      const contents = entries.map(({ content }) => content);
      expect.equal(
        contents,
        ["second"],
        "contents after a store and a forget were repeated: the later writes",
      );
    },
  }),
  hostTierCheck({
    id: "durability/revisions-grow-over-restart",
    clauses: ["ENTRY-13"],
    features: ["durable"],
    provisions: ["restart"],
    turn: "alone",
    run: expectRevisionsGrow,
  }),
  hostTierCheck({
    id: "durability/revisions-grow-where-nothing-is-kept",
    clauses: ["ENTRY-13"],
    withoutFeature: "durable",
    provisions: ["restart"],
    skippable: true,
    turn: "alone",
    run: expectRevisionsGrow,
  }),
  hostTierCheck({
    id: "durability/working-tier-ends-with-the-host",
    clauses: ["DUR-3"],
    tiers: ["working"],
    provisions: ["restart"],
    skippable: true,
    turn: "alone",
    async run({ caller, entry, expect, restart }) {
      await caller.store(entry({ key: { id: "before" } }));
      await restart();
      await caller.store(entry({ key: { id: "after" } }));
      const found = foundIds(await caller.retrieve());
      expect.equal(
        found,
        ["after"],
        "entries of the working tier after the host was killed and started again",
      );
    },
  }),
];
