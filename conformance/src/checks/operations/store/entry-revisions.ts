import { type Check, pluginCheck } from "../../../catalogue/check.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import type { StoreReply } from "../../../memory-agent.js";
import { item } from "./store-own.js";

const DAY = 86_400;
/** Idle times in days. Sessions end and partitions are unloaded in the meantime. */
const IDLE_DAYS = [1.5, 8, 45];
const OTHER_PARTITIONS = 8;

const revisionOf = ({ receipts }: StoreReply) => receipts[0]?.revision ?? 0;

function isRising(revisions: readonly number[]): boolean {
  return revisions.every((revision, at) => at === 0 || revision > revisions[at - 1]!);
}

/** Revisions of partitions that were emptied, unloaded or not used for a long time. */
export const entryRevisionChecks: readonly Check[] = [
  pluginCheck({
    id: "entry/revision-grows-while-time-stands",
    clauses: ["ENTRY-13", "ENTRY-15"],
    async run({ caller, entry, expect, features, now, holdTime, maintain, reopen }) {
      holdTime(Math.ceil(now()) + 1);
      const { key } = entry();
      const revisions: number[] = [];
      const store = async (content: string) => {
        revisions.push(revisionOf(await caller.store(entry({ key, content }))));
      };
      const restart = async () => {
        await maintain();
        if (features.durable) await reopen();
      };
      for (const round of [1, 2]) {
        await store(`created ${round}`);
        await caller.store([entry(), entry()]);
        await store(`updated ${round}`);
        await restart();
        await store(`updated after maintenance ${round}`);
        await caller.forget(round === 2 ? { all: true } : { keys: [key] });
        await restart();
      }
      await store("created last");
      const what =
        "revisions of a key that is created, updated and forgotten twice within one moment of the clock, with maintenance in between";
      expect.holds(isRising(revisions), what, revisions, "each above the one before it");
      const [last] = (await caller.retrieve({ keys: [key] })).entries;
      expect.equal(last?.seq, revisions.at(-1), "seq of the entry that was created last");
    },
  }),
  pluginCheck({
    id: "entry/revision-grows-over-idle-days",
    clauses: ["ENTRY-13", "ENTRY-15"],
    async run({ caller, agent, entry, expect, features, tier, passTime, maintain }) {
      const places = { kept: agent({ below: "kept" }), forgotten: agent({ below: "forgotten" }) };
      const ended = features.ttl ? { ended: agent({ below: "ended" }) } : {};
      const all = Object.entries({ ...places, ...ended });
      const { key } = entry();
      const revisions = new Map<string, number[]>(all.map(([name]) => [name, []]));
      const storeAll = async (content: string) => {
        for (const [name, one] of all) {
          const ttl = name === "ended" ? 60 : null;
          revisions.get(name)!.push(revisionOf(await one.store(entry({ key, content, ttl }))));
        }
      };
      await storeAll("first");
      await storeAll("second");
      const [created] = (await places.kept.retrieve()).entries;
      for (const days of IDLE_DAYS) {
        await places.forgotten.forget({ all: true });
        await passTime(days * DAY);
        await maintain();
        for (let at = 0; at < OTHER_PARTITIONS; at++) {
          await caller.store(entry(), { namespace: `${caller.namespace}/other/${days}/${at}` });
        }
        await maintain();
        await storeAll(`after ${days} days`);
      }
      for (const [name, grown] of revisions) {
        const what = `revisions of a key in a partition with entries that were ${name} before ${IDLE_DAYS} idle days`;
        expect.holds(isRising(grown), what, grown, "each above the one before it");
      }
      if (tier === "working") return;
      const [kept] = (await places.kept.retrieve()).entries;
      const what = "`seq` and `created` of an entry that was updated after idle days, as before";
      const facts = (one: typeof kept) => [one?.seq, one?.timestamps.created];
      expect.equal(facts(kept), facts(created), what);
    },
  }),
  pluginCheck({
    id: "entry/created-is-the-time-of-acceptance",
    clauses: ["ENTRY-21", "ENTRY-10", "UPD-5", "STORE-13"],
    async run({ caller, expect, features, now, plugin, scope, holdTime }) {
      const at = Math.ceil(now()) + 1;
      const { tenant, agent } = caller;
      // A host accepts a store, and calls the plugin when the requests before it are done.
      const store = async (accepted_at: number, content: string) => {
        const op = { tenant, agent, id: newRequestId(), digest: newRequestId(), accepted_at };
        const entries = ["a", "b"].map((id, index) => item(id, content, index));
        const ends = features.ttl ? { ttl: 60.5, expires_at: accepted_at + 60.5 } : {};
        const last = { ...item("c", content, 2), ...ends };
        await plugin.onStore(scope(), { op, ack: "stored", entries: [...entries, last] });
      };
      holdTime(at + 7.25);
      await store(at, "first");
      const times = async () => {
        const { entries } = await caller.retrieve({ order: "oldest" });
        return entries.map(({ timestamps: { created, updated }, occurred_at, ttl, expires_at }) => {
          return [created - at, updated - at, occurred_at - at, ttl, expires_at && expires_at - at];
        });
      };
      const end = features.ttl ? [60.5, 60.5] : [null, undefined];
      const what =
        "`created`, `updated` and `occurred_at` in seconds after the acceptance of a store, `ttl`, and `expires_at` likewise";
      expect.equal(
        await times(),
        [
          [0, 0, 0, null, undefined],
          [0, 0, 0, null, undefined],
          [0, 0, 0, ...end],
        ],
        `${what}, of a store that the plugin receives 7 s after its acceptance`,
      );
      holdTime(at + 30);
      await store(at + 20, "second");
      const later = features.ttl ? [60.5, 80.5] : [null, undefined];
      expect.equal(
        await times(),
        [
          [0, 20, 0, null, undefined],
          [0, 20, 0, null, undefined],
          [0, 20, 0, ...later],
        ],
        `${what}, after an update that was accepted 20 s after the first store`,
      );
    },
  }),
];
