import { type Check, pluginCheck } from "../../catalogue/check.js";
import type { PluginContext } from "../../context.js";
import { refusalCodes } from "../../fixtures/fate-of.js";
import {
  expectEnds,
  expectGrowth,
  expectIdempotent,
  expectSubtreeForgotten,
  expectWhole,
  type Lived,
  live,
} from "../../fixtures/life-promises.js";
import { newRequestId } from "../../fixtures/request-id.js";

type Way = readonly ["maintain" | "reopen", ...("maintain" | "reopen")[]];

/** Sequences of operations between two checks of a directory. */
const WAYS: readonly Way[] = [
  ["maintain", "reopen"],
  ["reopen", "maintain", "reopen"],
];
const MINUTE = 60;

async function go(t: PluginContext, way: Way): Promise<string> {
  for (const step of way) {
    await (step === "maintain" ? t.maintain() : t.reopen());
    await t.passTime(MINUTE);
  }
  return `after ${way.join(", ")}`;
}

/** Runs a life with maintenance and reopening in between. */
function livedIn(t: PluginContext): Promise<Lived> {
  return live(t, async (at) => {
    if (at % 6 === 5) await t.maintain();
    if (at % 9 === 6) await t.reopen();
  });
}

/** Guarantees that hold after any number of maintenance runs and reopenings. */
export const durabilityAgainChecks: readonly Check[] = [
  pluginCheck({
    id: "durability/entries-hold-time-after-time",
    clauses: ["PLUG-13", "ENTRY-15", "RET-5", "RET-16"],
    features: ["durable"],
    async run(t) {
      const lived = await livedIn(t);
      await expectWhole(t, lived, "before it is closed");
      for (const way of WAYS) await expectWhole(t, lived, await go(t, way));
      await expectEnds(t, lived, "time after time");
    },
  }),
  pluginCheck({
    id: "durability/revisions-rise-time-after-time",
    clauses: ["ENTRY-13", "PLUG-13"],
    features: ["durable"],
    async run(t) {
      const lived = await livedIn(t);
      let given: ReadonlyMap<string, number> | undefined;
      for (const way of WAYS) given = await expectGrowth(t, lived, await go(t, way), given);
    },
  }),
  pluginCheck({
    id: "durability/retries-hold-time-after-time",
    clauses: ["RETRY-1", "RETRY-4", "PLUG-13", "PLUG-14"],
    features: ["durable"],
    async run(t) {
      const lived = await livedIn(t);
      const { caller, entry, expect } = t;
      const [one, id] = [entry({ content: "first" }), newRequestId()];
      await caller.store(one, { id });
      for (const way of WAYS) {
        const when = await go(t, way);
        await expectIdempotent(t, lived, when);
        const other = await refusalCodes(caller.store({ ...one, content: "second" }, { id }));
        expect.equal(other, ["conflict"], `codes of a store with the id of another, ${when}`);
        const forget = await refusalCodes(caller.forget({ keys: [one.key], id }));
        expect.equal(forget, ["conflict"], `codes of a forget with the id of a store, ${when}`);
      }
      const codes = await refusalCodes(t.agent({ agent: "second" }).store(entry(), { id }));
      expect.equal(codes, [], "codes of a store with the id of another agent's, after reopening");
    },
  }),
  pluginCheck({
    id: "durability/subtree-is-forgotten-before-any-read",
    clauses: ["NS-6", "FORGET-1", "FORGET-6", "PLUG-13"],
    features: ["durable", "subtree"],
    async run(t) {
      const lived = await livedIn(t);
      await expectSubtreeForgotten(t, lived, await go(t, WAYS[0]!));
    },
  }),
  pluginCheck({
    id: "durability/ends-while-closed-are-reported-once",
    clauses: ["PLUG-11", "RET-16", "UPD-4"],
    features: ["durable", "ttl"],
    async run(t) {
      const { caller, entry, expect, changes } = t;
      const named = (id: string, ttl?: number) => entry({ key: { id }, ...(ttl && { ttl }) });
      await caller.store([
        named("ends", 600),
        named("goes on", 600),
        named("longer", 600),
        named("gone", 600),
      ]);
      await t.maintain();
      await caller.store([{ ...named("goes on"), content: "without an end" }, named("longer", 6_000)]);
      await caller.forget({ keys: [{ id: "gone" }] });
      await t.reopen();
      const before = changes.length;
      await t.passTime(700);
      for (const time of ["once", "twice"]) {
        await t.reopen();
        await t.maintain();
        const { entries } = await caller.retrieve({ order: "oldest" });
        const ids = entries.map(({ key }) => key.id);
        const what = `opened ${time} after the first of three entries has expired, with two stored again`;
        expect.equal(ids, ["goes on", "longer"], `entries of a plugin ${what}`);
        const reported = changes.slice(before).map(({ change }) => `${change.action} ${change.key.id}`);
        expect.equal(reported, ["expired ends"], `changes that a plugin reports ${what}`);
      }
    },
  }),
];
