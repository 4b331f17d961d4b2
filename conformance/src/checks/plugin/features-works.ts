import { type Check, memoryCheck } from "../../catalogue/check.js";
import { foundIds } from "../../fixtures/found-ids.js";

const OWL = { key: { id: "owl" }, content: "an owl hunts at night" };
const BREAD = { key: { id: "bread" }, content: "bread needs flour and salt" };

/**
 * Each declared feature that a request can need, used once (clause PLUG-3). Other areas test it in detail.
 */
export const featureWorksChecks: readonly Check[] = [
  memoryCheck({
    id: "similarity/works-when-declared",
    clauses: ["PLUG-3"],
    features: ["similarity"],
    async run({ caller, entry, expect }) {
      await caller.store([entry(OWL), entry(BREAD)]);
      const found = await caller.retrieve({ query: OWL.content, mode: "vector", limit: 1 });
      expect.equal(
        foundIds(found),
        ["owl"],
        "first result of a query by vector with the text of the first of 2 entries",
      );
    },
  }),
  memoryCheck({
    id: "full-text/works-when-declared",
    clauses: ["PLUG-3"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      await caller.store([entry(OWL), entry(BREAD)]);
      const found = await caller.retrieve({ query: "flour salt", mode: "text" });
      expect.equal(foundIds(found), ["bread"], "results of a query with words of 1 of 2 entries");
    },
  }),
  memoryCheck({
    id: "ttl/works-when-declared",
    clauses: ["PLUG-3", "ENTRY-4"],
    features: ["ttl"],
    async run({ caller, entry, passTime, expect }) {
      await caller.store([entry({ ...OWL, ttl: 1 }), entry({ ...BREAD, ttl: 3_600 })]);
      await passTime(2);
      const found = await caller.retrieve();
      expect.equal(foundIds(found), ["bread"], "entries 2 s after stores with a ttl of 1 s and of an hour");
    },
  }),
  memoryCheck({
    id: "conditional/works-when-declared",
    clauses: ["PLUG-3", "UPD-8"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const one = entry({ content: "first", if_revision: 0 });
      const { receipts } = await caller.store(one);
      expect.equal(receipts[0]?.outcome, "created", "outcome of a store with `if_revision` 0 of a new key");
      const { errors } = await caller.store({ ...one, content: "second" });
      const codes = errors.map(({ code }) => code);
      expect.equal(codes, ["conflict"], "codes of a store with `if_revision` 0 of a key that exists");
    },
  }),
  memoryCheck({
    id: "subtree/works-when-declared",
    clauses: ["PLUG-3", "NS-6"],
    features: ["subtree"],
    async run({ caller, agent, entry, expect }) {
      await caller.store(entry(OWL));
      await agent({ below: "inner" }).store(entry(BREAD));
      const namespace = `${caller.namespace}/**`;
      const found = foundIds(await caller.retrieve({ namespace }));
      expect.sameMembers(found, ["owl", "bread"], "entries of a subtree that holds 1 itself and 1 below");
      const { deleted } = await caller.forget({ namespace, all: true });
      expect.equal(deleted, 2, "deleted by a forget of a subtree that holds 1 entry itself and 1 below");
    },
  }),
  memoryCheck({
    id: "queued/works-when-declared",
    clauses: ["PLUG-3", "STORE-6"],
    features: ["queued"],
    async run({ caller, entry, expect }) {
      const { stored } = await caller.store([entry(OWL), entry(BREAD)], { ack: "queued" });
      expect.equal(stored, [OWL.key, BREAD.key], '`stored` of a store of 2 entries with ack "queued"');
      const found = foundIds(await caller.retrieve());
      expect.sameMembers(found, ["owl", "bread"], 'entries after a store of 2 with ack "queued"');
    },
  }),
];
