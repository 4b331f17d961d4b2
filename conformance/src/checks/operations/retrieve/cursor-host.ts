import { isMemoryError } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { inBatches } from "../../../fixtures/in-batches.js";
import { LIKE_NAMES } from "../../../fixtures/like-names.js";
import { readPages } from "../../../fixtures/read-pages.js";
import type { MemoryAgent } from "../../../memory-agent.js";
import { NoReplyError } from "../../../no-reply-error.js";

type Page = Pick<Awaited<ReturnType<MemoryAgent["retrieve"]>>, "entries">;

/**
 * Returns the page or the refusal. A host may refuse a cursor of another agent or return the caller's entries
 * (clause RET-11). Other errors fail.
 */
async function pageOrRefusal(asked: Promise<Page>): Promise<Page> {
  try {
    return await asked;
  } catch (error) {
    if (!isMemoryError(error) || error instanceof NoReplyError || error.code === "runtime_error") throw error;
    return { entries: [] };
  }
}

export const cursorHostChecks: readonly Check[] = [
  hostCheck({
    id: "cursor/that-is-none-is-refused",
    clauses: ["RET-9"],
    async run({ caller, entry, expect }) {
      await caller.store([1, 2, 3].map((id) => entry({ key: { id }, occurred_at: id })));
      const { cursor } = await caller.retrieve({ limit: 1 });
      expect.holds(
        typeof cursor === "string",
        "cursor of a page with limit 1 of 3 entries",
        cursor,
        "a string",
      );
      const half = cursor!.slice(0, Math.ceil(cursor!.length / 2));
      for (const wrong of ["x", "0", "2", "{}", "bm90IGEgY3Vyc29y", "e30", half, `${half}AAAA`]) {
        const what = `a retrieve with the unknown cursor ${JSON.stringify(wrong)}`;
        const { detail } = await expect.refused(
          caller.retrieve({ limit: 1, cursor: wrong }),
          "schema_violation",
          what,
        );
        expect.equal(detail.path, "cursor", `\`path\` in the error of ${what}`);
      }
      const next = await caller.retrieve({ limit: 1, cursor });
      expect.equal(foundIds(next), [2], "ids on the second page of 3 entries with limit 1");
    },
  }),
  hostCheck({
    id: "cursor/of-another-request-is-refused",
    clauses: ["RET-9"],
    async run({ caller, entry, expect }) {
      await caller.store([1, 2, 3].map((id) => entry({ key: { id }, tags: ["a"], occurred_at: id })));
      const request = { tags: ["a", "b"], order: "newest", limit: 1 } as const;
      const { cursor } = await caller.retrieve({ ...request, tags: [...request.tags] });
      expect.holds(
        typeof cursor === "string",
        "cursor of a page with limit 1 of 3 entries",
        cursor,
        "a string",
      );
      const others = [
        { tags: ["a"] },
        { tags: ["b", "a", "c"] },
        { tags_mode: "all" as const },
        { order: "oldest" as const },
        { min_score: 0.1 },
        { since: 1 },
        { match: { id: 1 } },
        { where: { field: "source", op: "ne" as const, value: "x" } },
        { namespace: `${caller.namespace}/a` },
        { tier: null },
        { include: ["context" as const] },
        { session_id: "another" },
      ];
      for (const other of others) {
        const what = `a retrieve with ${JSON.stringify(other)}, otherwise equal to the one that returned the cursor`;
        const asked = { ...request, tags: [...request.tags], ...other, cursor };
        const { detail } = await expect.refused(caller.retrieve(asked), "schema_violation", what);
        expect.equal(detail.path, "cursor", `\`path\` in the error of ${what}`);
      }
      const next = await caller.retrieve({ ...request, tags: [...request.tags], cursor });
      expect.equal(foundIds(next), [2], "ids after that cursor with the original request");
    },
  }),
  hostCheck({
    id: "cursor/of-the-same-request-continues",
    clauses: ["RET-9", "RET-7"],
    async run({ caller, entry, expect, now }) {
      await caller.store([1, 2, 3, 4].map((id) => entry({ key: { id }, occurred_at: id })));
      const { cursor } = await caller.retrieve({ limit: 2, deadline_ms: 4_000 });
      expect.holds(
        typeof cursor === "string",
        "cursor of a page with limit 2 of 4 entries",
        cursor,
        "a string",
      );
      const same = [
        { limit: 2 },
        { limit: 2, deadline_ms: 3_000 },
        { limit: 2, version: "1.0" },
        { limit: 2, version: "1.7", ts: now() },
        { limit: 5 },
        { limit: 5, tags: [], group: null },
      ];
      for (const fields of same) {
        const next = await caller.retrieve({ ...fields, cursor });
        const what = `a request with ${JSON.stringify(fields)}, which has no relevant difference to the first page's`;
        expect.equal(foundIds(next), [2, 1], `ids after a cursor for ${what}`);
      }
    },
  }),
  hostTierCheck({
    id: "cursor/gives-another-agent-nothing",
    clauses: ["RET-11"],
    tiers: ["working", "episodic"],
    async run({ caller, agent, entry, expect }) {
      const second = agent({ agent: "second" });
      await caller.store([1, 2, 3, 4, 5].map((id) => entry({ key: { id }, occurred_at: id })));
      await second.store([2.5, 4.5].map((id) => entry({ key: { id }, occurred_at: id })));
      const { cursor } = await caller.retrieve({ limit: 2 });
      const reply = await pageOrRefusal(second.retrieve({ limit: 10, cursor }));
      const foreign = foundIds(reply).filter((id) => id !== 2.5 && id !== 4.5);
      expect.equal(foreign, [], "ids of other agents that an agent gets with the first agent's cursor");
      const rest = await caller.retrieve({ limit: 10, cursor });
      expect.equal(foundIds(rest), [3, 2, 1], "ids that the first agent gets by the same cursor afterwards");
    },
  }),
  hostTierCheck({
    id: "cursor/gives-agents-of-like-names-nothing",
    clauses: ["RET-11"],
    tiers: ["working", "episodic"],
    async run({ agent, entry, expect }) {
      const agents = LIKE_NAMES.map((name) => agent({ named: { agent: name } }));
      await inBatches(agents, (one) =>
        one.store([3, 2, 1].map((at) => entry({ key: { at }, content: one.agent, occurred_at: at }))),
      );
      const { cursor } = await agents[0]!.retrieve({ limit: 1 });
      for (const other of agents.slice(1)) {
        const reply = await pageOrRefusal(other.retrieve({ limit: 10, cursor }));
        const foreign = reply.entries.filter(({ content }) => content !== other.agent);
        const what = `entries of others that ${JSON.stringify(other.agent)} gets by a cursor of "bob"`;
        expect.equal(foreign, [], what);
      }
      const rest = await agents[0]!.retrieve({ limit: 10, cursor });
      const found = rest.entries.map(({ key }) => key.at);
      expect.equal(found, [2, 1], 'entries that "bob" gets by the same cursor afterwards');
    },
  }),
  hostTierCheck({
    id: "cursor/gives-another-tenant-nothing",
    clauses: ["RET-11"],
    provisions: ["second_tenant"],
    async run({ caller, agent, entry, expect }) {
      const second = agent({ tenant: "second" });
      await caller.store([1, 2, 3, 4, 5].map((id) => entry({ key: { id }, occurred_at: id })));
      const { cursor } = await caller.retrieve({ limit: 2 });
      const reply = await pageOrRefusal(second.retrieve({ limit: 10, cursor }));
      expect.equal(
        foundIds(reply),
        [],
        "ids that an agent of another tenant gets by the cursor of the first",
      );
      const pages = await readPages(caller, { limit: 2, cursor });
      expect.equal(
        pages.flatMap(foundIds),
        [3, 2, 1],
        "ids that the first agent gets by the same cursor afterwards",
      );
    },
  }),
];
