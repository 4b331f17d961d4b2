import { type MemoryTier, TIERS } from "@membus/protocol";
import { type Check, hostTierCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import {
  accepted,
  listOf,
  type Operation,
  refused,
  request,
  storedEntries,
} from "../../fixtures/bare-messages.js";

function onTier(t: HostContext, operation: Operation): { readonly subject: string } {
  const { tenant, agent } = t.caller;
  return { subject: `${t.prefix}.${tenant}.${agent}.memory.${operation}.${t.tier}.req` };
}

function anotherThan(tier: MemoryTier): MemoryTier {
  return TIERS.find((one) => one !== tier)!;
}

export const subjectsTierChecks: readonly Check[] = [
  hostTierCheck({
    id: "subjects/tier-of-the-subject-is-meant",
    clauses: ["SUBJ-12", "SUBJ-7"],
    async run(t) {
      const { tier: _, ...entry } = t.entry();
      const other = t.tiers.find((tier) => tier !== t.tier);
      if (other !== undefined) await t.caller.store(t.entry({ tier: other }));
      const stored = onTier(t, "store");
      const what = `a store on ${stored.subject} of an entry without a tier`;
      const store = request(t, "store", { entries: [entry] });
      t.expect.equal((await accepted(t, what, "store", store, stored)).errors, [], `errors of ${what}`);
      const found = (await storedEntries(t)).map(({ key, tier }) => ({ key, tier }));
      t.expect.equal(
        found,
        [{ key: entry.key, tier: t.tier }],
        `key and tier of the entries found after ${what}`,
      );
      const asked = onTier(t, "retrieve");
      const read = await accepted(
        t,
        `a retrieve on ${asked.subject}`,
        "retrieve",
        request(t, "retrieve"),
        asked,
      );
      const keys = listOf(read.entries).map(({ key }) => key);
      t.expect.equal(keys, [entry.key], `keys of a retrieve on ${asked.subject}, after ${what}`);
      const known = onTier(t, "status");
      const status = request(t, "status", { request_id: store.id });
      const { receipts } = await accepted(t, `a status on ${known.subject}`, "status", status, known);
      t.expect.equal(listOf(receipts).length, 1, `receipts of a status on ${known.subject}, after ${what}`);
      const forgotten = onTier(t, "forget");
      const forget = request(t, "forget", { keys: [entry.key] });
      const { receipt } = await accepted(t, `a forget on ${forgotten.subject}`, "forget", forget, forgotten);
      const byTier = (receipt as { by_tier?: unknown } | undefined)?.by_tier;
      t.expect.equal(byTier, { [t.tier]: 1 }, `by_tier of a forget on ${forgotten.subject}, after ${what}`);
    },
  }),
  hostTierCheck({
    id: "subjects/another-tier-than-the-subjects-is-refused",
    clauses: ["SUBJ-12"],
    async run(t) {
      const other = anotherThan(t.tier);
      const [first, second, third] = [t.entry(), t.entry({ tier: other }), t.entry()];
      const stored = onTier(t, "store");
      const what = `a store on ${stored.subject} of three entries, the second for the ${other} tier`;
      const store = request(t, "store", { entries: [first, second, third] });
      const { errors } = await accepted(t, what, "store", store, stored);
      const reported = listOf(errors).map(({ index, code }) => ({ index, code }));
      t.expect.equal(reported, [{ index: 1, code: "unauthorized" }], `errors of ${what}`);
      for (const [operation, fields] of [
        ["retrieve", {}],
        ["forget", { keys: [first.key] }],
      ] as const) {
        const options = onTier(t, operation);
        const sent = request(t, operation, { ...fields, tier: other });
        const asking = `a ${operation} on ${options.subject} that names the ${other} tier`;
        const { detail } = await refused(t, asking, operation, sent, "unauthorized", options);
        t.expect.equal(detail.path, "tier", `\`path\` in the error of ${asking}`);
      }
      const keys = (await storedEntries(t)).map(({ key }) => JSON.stringify(key)).sort();
      const wanted = [first, third].map(({ key }) => JSON.stringify(key)).sort();
      t.expect.equal(keys, wanted, `keys found after ${what}, and a forget that was refused`);
    },
  }),
];
