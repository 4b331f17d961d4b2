import { type Check, memoryCheck } from "../catalogue/check.js";
import type { MemoryContext } from "../context.js";
import { refusalCodes } from "../fixtures/fate-of.js";
import { newRequestId } from "../fixtures/request-id.js";
import type { MemoryAgent } from "../memory-agent.js";

/** Two who use the same ids: each has its own effects and results. */
async function expectOwnIds(
  { caller, entry, expect }: MemoryContext,
  who: string,
  other: MemoryAgent,
): Promise<void> {
  const [same, different, forgetId] = [newRequestId(), newRequestId(), newRequestId()];
  const [one, two] = [entry({ tags: ["red"] }), entry({ tags: ["red"] })];
  await caller.store(one, { id: same });
  await caller.store(two, { id: different });
  await caller.forget({ keys: [{ id: "nothing" }], id: forgetId });
  const equal = await other.store(one, { id: same });
  expect.equal(equal.receipts.length, 1, `receipts of ${who}'s store with the id and body of another's`);
  const [mine] = (await other.retrieve({ keys: [one.key] })).entries;
  expect.equal(
    mine?.author,
    other.agent,
    `author of what ${who} stored with the id and body of another's store`,
  );
  expect.equal(
    mine?.revision,
    equal.receipts[0]?.revision,
    `revision of what ${who} stored with another's id and body`,
  );
  const codes = await refusalCodes(other.store({ ...two, content: "of the other" }, { id: different }));
  expect.equal(codes, [], `codes of ${who}'s store with the id of another's store and another body`);
  const { deleted } = await other.forget({ tags: ["red"], id: forgetId });
  expect.equal(deleted, 2, `deleted of ${who}'s forget with the id of another's forget, of 2 entries`);
}

/** Whose a request id is (clause PLUG-14). */
export const retryAgentChecks: readonly Check[] = [
  memoryCheck({
    id: "retry/ids-belong-to-their-agent",
    clauses: ["PLUG-14", "RETRY-1"],
    async run(t) {
      await expectOwnIds(t, "the second agent", t.agent({ agent: "second" }));
    },
  }),
  memoryCheck({
    id: "retry/ids-belong-to-their-tenant",
    clauses: ["PLUG-14", "RETRY-1"],
    provisions: ["second_tenant"],
    async run(t) {
      const { caller, entry, expect, agent } = t;
      const [second, id, one] = [agent({ tenant: "second" }), newRequestId(), entry()];
      await caller.store(one, { id });
      const { receipts } = await second.store(one, { id });
      expect.equal(
        receipts[0]?.outcome,
        "created",
        "outcome of a store with the id and body of a store in another tenant",
      );
      const { total } = await second.retrieve();
      expect.equal(
        total,
        1,
        "entries of a tenant after a store with the id and body of a store in another tenant",
      );
      const codes = await refusalCodes(second.forget({ keys: [one.key], id: newRequestId() }));
      expect.equal(codes, [], "codes of a forget in the second tenant");
    },
  }),
];
