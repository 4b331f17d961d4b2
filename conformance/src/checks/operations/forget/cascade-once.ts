import { type Check, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import { derivedEntries, idsLeft } from "../../../fixtures/derived-entries.js";
import { forgetFate } from "../../../fixtures/fate-of.js";
import { newRequestId } from "../../../fixtures/request-id.js";

const features = ["sources", "cascade"] as const;
const ROUNDS = 10;

/** A cascade is one atomic operation: across retries, concurrent stores and restarts. */
export const cascadeOnceChecks: readonly Check[] = [
  memoryCheck({
    id: "cascade/retry-gets-the-first-reply",
    clauses: ["CASC-7", "RETRY-1"],
    features,
    async run(t) {
      const { key, derived } = derivedEntries(t);
      const entries = [derived("root"), derived("a", ["root"]), derived("b", ["a"])];
      await t.caller.store(entries);
      const request = { keys: [key("root")], cascade: true, id: newRequestId() };
      const first = forgetFate(await t.caller.forget(request));
      t.expect.equal(
        [first.deleted, first.receipt.cascaded],
        [3, [1, 1]],
        "`deleted` and `cascaded` of a cascade",
      );
      await t.caller.store(entries);
      const again = forgetFate(await t.caller.forget(request));
      t.expect.equal(again, first, "reply to a repeated cascade, compared with the first");
      const what = "ids of entries that were stored again between a cascade and its retry";
      t.expect.equal(await idsLeft(t.caller), ["a", "b", "root"], what);
      const other = t.caller.forget({ ...request, cascade: false });
      await t.expect.refused(other, "conflict", "the same id without cascade");
    },
  }),
  memoryCheck({
    id: "cascade/heeds-the-order-of-stores",
    clauses: ["CASC-8"],
    features,
    async run(t) {
      const { key, derived } = derivedEntries(t);
      for (let round = 1; round <= ROUNDS; round++) {
        await t.caller.store([derived("root"), derived("again", ["root"])]);
        const earlier = t.caller.store(derived(`earlier ${round}`, ["root"]));
        const cascade = t.caller.forget({ keys: [key("root")], cascade: true });
        const later = t.caller.store([derived(`later ${round}`, ["root"]), derived("again", ["root"])]);
        const replies = await Promise.all([earlier, cascade, later]);
        const what = "of a cascade between two stores that are sent before and after it without waiting";
        t.expect.equal(replies[1].receipt.cascaded?.length, 1, `levels in \`cascaded\` ${what}`);
        const left = ["again", `later ${round}`];
        t.expect.equal(await idsLeft(t.caller), left, `ids left ${what}: the entries of the later store`);
        await t.caller.forget({ keys: left.map(key) });
      }
    },
  }),
  pluginCheck({
    id: "cascade/is-told-entry-by-entry",
    clauses: ["PLUG-11", "CASC-1"],
    features,
    async run(t) {
      const { key, derived } = derivedEntries(t);
      await t.caller.store([derived("root"), derived("kept"), derived("a", ["root"])]);
      await t.agent({ below: "inner" }).store(derived("b", ["a"]));
      await t.caller.forget({ keys: [key("root")], cascade: true });
      const reported = t.changes.map(({ change, agent }) => ({
        action: change.action,
        id: change.key.id,
        agent,
      }));
      const expected = ["root", "a", "b"].map((id) => ({ action: "forgotten", id, agent: t.caller.agent }));
      t.expect.sameMembers(
        reported,
        expected,
        "changes that a plugin reports for a cascade over three entries",
      );
    },
  }),
  pluginCheck({
    id: "cascade/survives-reopen",
    clauses: ["CASC-7", "FORGET-6", "RETRY-4"],
    features: [...features, "durable"],
    async run(t) {
      const { key, derived } = derivedEntries(t);
      const inner = t.agent({ below: "inner" });
      await t.caller.store([derived("root"), derived("kept"), derived("a", ["root"])]);
      await inner.store([derived("b", ["a"]), derived("also kept", ["kept"])]);
      await t.reopen();
      const request = { keys: [key("root")], cascade: true, id: newRequestId() };
      const first = forgetFate(await t.caller.forget(request));
      t.expect.equal(
        first.receipt.cascaded,
        [1, 1],
        "`cascaded` by the sources there are after close and open",
      );
      for (const when of ["after close and open", "after close and open again"]) {
        await t.reopen();
        t.expect.equal(await idsLeft(t.caller), ["kept"], `ids left by a cascade, ${when}`);
        t.expect.equal(await idsLeft(inner), ["also kept"], `ids left in another namespace, ${when}`);
        const again = forgetFate(await t.caller.forget(request));
        t.expect.equal(again, first, `reply to a cascade that is repeated ${when}, compared with the first`);
      }
    },
  }),
];
