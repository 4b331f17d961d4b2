import type { Message } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../../catalogue/check.js";
import type { HostContext } from "../../../context.js";
import { accepted, recordOf, refused, request, storedEntries } from "../../../fixtures/bare-messages.js";

const EMPTY_CRITERIA: readonly Readonly<Message>[] = [
  { keys: [] },
  { tags: [] },
  { match: {} },
  { group: "" },
  { where: { all: [] } },
  { keys: [], all: true },
  { tags: [], group: "one" },
];

const MISTYPED: readonly Readonly<Message>[] = [
  { tag: ["red"] },
  { keyz: [{ entry: 1 }], all: true },
  { tags: ["red"], untill: 1_000 },
];

/** Sends a forget that must be refused, and expects all entries to remain. */
async function refusedAndKept(t: HostContext, what: string, fields: Readonly<Message>, count: number) {
  await refused(t, what, "forget", request(t, "forget", fields), "schema_violation");
  const { length } = await storedEntries(t);
  t.expect.equal(length, count, `entries left after ${what}, which is refused`);
}

/** Requests that must not be treated as a forget of everything. */
export const forgetRequestChecks: readonly Check[] = [
  hostCheck({
    id: "forget/everything-needs-all",
    clauses: ["FORGET-3"],
    async run(t) {
      await t.caller.store(t.tiers.map((tier) => t.entry({ tier })));
      await refusedAndKept(t, "a forget without tier, criteria and `all`", {}, 1);
      await refusedAndKept(t, "a forget without tier and criteria, with `all` false", { all: false }, 1);
      const what = "a forget without tier and criteria, with `all` true";
      const reply = await accepted(t, what, "forget", request(t, "forget", { all: true }));
      t.expect.equal(reply.deleted, t.tiers.length, `deleted by ${what}, of an entry in each tier`);
    },
  }),
  hostTierCheck({
    id: "forget/shared-tier-needs-all",
    clauses: ["FORGET-3"],
    tiers: ["semantic"],
    async run(t) {
      await t.caller.store([t.entry(), t.entry()]);
      await refusedAndKept(
        t,
        "a forget of the semantic tier without criteria and `all`",
        { tier: t.tier },
        2,
      );
      const what = "a forget of the semantic tier without criteria, with `all` true";
      const reply = await accepted(t, what, "forget", request(t, "forget", { tier: t.tier, all: true }));
      t.expect.equal(reply.deleted, 2, `deleted by ${what}, of 2 entries`);
    },
  }),
  hostTierCheck({
    id: "forget/empty-criterion-is-refused",
    clauses: ["FORGET-4", "ENV-4"],
    async run(t) {
      await t.caller.store([t.entry({ tags: ["red"], group: "one" }), t.entry()]);
      for (const criteria of EMPTY_CRITERIA) {
        const what = `a forget with ${JSON.stringify(criteria)}`;
        await refusedAndKept(t, what, { tier: t.tier, ...criteria }, 2);
      }
    },
  }),
  hostTierCheck({
    id: "forget/unknown-field-is-refused",
    clauses: ["ENV-5", "FORGET-1"],
    async run(t) {
      await t.caller.store([t.entry({ tags: ["red"] }), t.entry()]);
      for (const fields of MISTYPED) {
        const what = `a forget with ${JSON.stringify(fields)}, one of them unknown`;
        await refusedAndKept(t, what, { tier: t.tier, ...fields }, 2);
      }
    },
  }),
  hostCheck({
    id: "forget/by-tier-adds-up",
    clauses: ["FORGET-5"],
    async run(t) {
      const byTier = Object.fromEntries(t.tiers.map((tier, at) => [tier, at + 2]));
      const entries = t.tiers.flatMap((tier, at) =>
        Array.from({ length: at + 2 }, () => t.entry({ tier, tags: ["red"] })),
      );
      await t.caller.store(entries);
      const what = "a forget by tag in all tiers";
      const reply = await accepted(t, what, "forget", request(t, "forget", { tags: ["red"] }));
      t.expect.equal(recordOf(reply.receipt).by_tier, byTier, `\`by_tier\` of ${what}`);
      t.expect.equal(reply.deleted, entries.length, `deleted by ${what}, the sum of \`by_tier\``);
    },
  }),
];
