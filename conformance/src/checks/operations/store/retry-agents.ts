import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { refusalCodes } from "../../../fixtures/fate-of.js";
import { LIKE_NAMES } from "../../../fixtures/like-names.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import type { MemoryAgent } from "../../../memory-agent.js";

/** Expects two agents with the same request ids to get separate effects and results. */
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
    `author of the entry that ${who} stored with the id and body of another's store`,
  );
  expect.equal(
    mine?.revision,
    equal.receipts[0]?.revision,
    `revision of the entry that ${who} stored with another's id and body`,
  );
  const codes = await refusalCodes(other.store({ ...two, content: "of the other" }, { id: different }));
  expect.equal(codes, [], `codes of ${who}'s store with the id of another's store and another body`);
  const { deleted } = await other.forget({ tags: ["red"], id: forgetId });
  expect.equal(deleted, 2, `deleted of ${who}'s forget with the id of another's forget, of 2 entries`);
}

/** Request ids belong to one agent (clause PLUG-14). */
export const retryAgentChecks: readonly Check[] = [
  memoryCheck({
    id: "retry/ids-belong-to-their-agent",
    clauses: ["PLUG-14", "RETRY-1"],
    async run(t) {
      await expectOwnIds(t, "the second agent", t.agent({ agent: "second" }));
    },
  }),
  memoryCheck({
    id: "retry/ids-of-agents-of-like-names",
    clauses: ["PLUG-14", "RETRY-1", "STATUS-1", "STATUS-4"],
    async run({ agent, entry, expect }) {
      const id = newRequestId();
      const agents = LIKE_NAMES.map((name) => agent({ named: { agent: name } }));
      const countOf = (at: number) => 1 + (at % 3);
      const batches = agents.map(({ agent: name }, at) =>
        Array.from({ length: countOf(at) }, (_, part) => entry({ key: { of: name, part } })),
      );
      for (const [at, one] of agents.entries()) {
        const who = JSON.stringify(one.agent);
        await expect.refused(
          one.status(id),
          "memory_not_found",
          `a status by ${who} before its first request`,
        );
        const codes = await refusalCodes(one.store(batches[at]!, { id }));
        expect.equal(
          codes,
          [],
          `codes of the first store of ${who}, with an id that similar names also used`,
        );
      }
      for (const [at, one] of agents.entries()) {
        const who = JSON.stringify(one.agent);
        const { receipts } = await one.status(id);
        expect.equal(receipts.length, countOf(at), `receipts in the status of the store of ${who}`);
        const again = await one.store(batches[at]!, { id });
        const stored = batches[at]!.map(({ key }) => key);
        expect.equal(again.stored, stored, `\`stored\` of the repeated store of ${who}`);
      }
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
