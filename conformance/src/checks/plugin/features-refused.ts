import { type Check, hostTierCheck } from "../../catalogue/check.js";
import type { MemoryContext } from "../../context.js";
import { refusalCodes } from "../../fixtures/fate-of.js";
import { foundIds } from "../../fixtures/found-ids.js";
import type { EntryInput, StoreInput } from "../../memory-agent.js";

const PLAIN = { key: { id: "plain" }, content: "an owl hunts at night" };

/** Expects stores with an undeclared feature to be refused, and only a plain entry to exist after them. */
async function expectStoresRefused(
  { caller, entry, expect }: MemoryContext,
  demanding: Readonly<
    Record<string, { readonly fields?: Partial<EntryInput>; readonly options?: StoreInput }>
  >,
): Promise<void> {
  await caller.store(entry(PLAIN));
  for (const [what, { fields = {}, options }] of Object.entries(demanding)) {
    for (const key of [{ id: "new" }, PLAIN.key]) {
      const codes = await refusalCodes(caller.store(entry({ key, content: what, ...fields }), options));
      const of = key === PLAIN.key ? "a key that exists" : "a new key";
      expect.equal(codes, ["unsupported"], `codes of a store of ${of} with ${what}, which is not declared`);
    }
  }
  const { entries } = await caller.retrieve();
  const left = entries.map(({ key, content }) => ({ key, content }));
  const what = Object.keys(demanding).join(" and ");
  expect.equal(
    left,
    [PLAIN],
    `entries after stores with ${what}, which were refused, and one without before them`,
  );
}

/**
 * A request that needs an undeclared feature is refused without effect (clause PLUG-4). On a host, the host
 * refuses it, so that no plugin receives it.
 */
export const featureRefusedChecks: readonly Check[] = [
  hostTierCheck({
    id: "similarity/refused-when-undeclared",
    clauses: ["PLUG-4", "RET-12"],
    withoutFeature: "similarity",
    async run({ caller, entry, expect }) {
      await caller.store(entry(PLAIN));
      const asked = caller.retrieve({ query: PLAIN.content, mode: "vector" });
      await expect.refused(asked, "unsupported", "a query with mode vector, without similarity declared");
    },
  }),
  hostTierCheck({
    id: "full-text/refused-when-undeclared",
    clauses: ["PLUG-4", "RET-12"],
    withoutFeature: "full_text",
    async run({ caller, entry, expect }) {
      await caller.store(entry(PLAIN));
      const asked = caller.retrieve({ query: PLAIN.content, mode: "text" });
      await expect.refused(asked, "unsupported", "a query with mode text, without full_text declared");
    },
  }),
  hostTierCheck({
    id: "ttl/refused-when-undeclared",
    clauses: ["PLUG-4"],
    withoutFeature: "ttl",
    async run(t) {
      await expectStoresRefused(t, {
        "a ttl": { fields: { ttl: 3_600 } },
        expires_at: { fields: { expires_at: t.now() + 3_600 } },
      });
    },
  }),
  hostTierCheck({
    id: "conditional/refused-when-undeclared",
    clauses: ["PLUG-4"],
    withoutFeature: "conditional",
    async run(t) {
      await expectStoresRefused(t, {
        "if_revision 0": { fields: { if_revision: 0 } },
        "if_revision 7": { fields: { if_revision: 7 } },
      });
    },
  }),
  hostTierCheck({
    id: "subtree/refused-when-undeclared",
    clauses: ["PLUG-4"],
    withoutFeature: "subtree",
    async run({ caller, agent, entry, expect }) {
      const inner = agent({ below: "inner" });
      for (const one of [caller, inner]) await one.store(entry({ key: { id: one.namespace } }));
      const namespace = `${caller.namespace}/**`;
      const asked = caller.retrieve({ namespace });
      await expect.refused(asked, "unsupported", "a retrieve of a subtree, without subtree declared");
      const forgetting = caller.forget({ namespace, all: true });
      await expect.refused(forgetting, "unsupported", "a forget of a subtree, without subtree declared");
      for (const one of [caller, inner]) {
        const left = foundIds(await one.retrieve());
        expect.equal(
          left,
          [one.namespace],
          "entries of a namespace after a forget of the subtree that holds it, which was refused",
        );
      }
    },
  }),
  hostTierCheck({
    id: "queued/refused-when-undeclared",
    clauses: ["PLUG-4"],
    withoutFeature: "queued",
    async run(t) {
      await expectStoresRefused(t, { 'ack "queued"': { options: { ack: "queued" } } });
    },
  }),
];
