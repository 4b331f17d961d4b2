import { delay, systemClock } from "@membus/protocol";
import { type Check, hostCheck, memoryCheck } from "../../../catalogue/check.js";
import { accepted, refused, request } from "../../../fixtures/bare-messages.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import type { MemoryAgent, StatusReply } from "../../../memory-agent.js";

const POLL_MS = 40;
/**
 * Maximum waits. Stored entries are usually embedded already, and queued ones may wait for a retry of the
 * embedder.
 */
const PATIENCE_MS = { stored: 4_000, queued: 12_000 } as const;

/** Returns the status of a store once it is final, or the last status after some seconds. */
async function settledStatus(
  caller: MemoryAgent,
  id: string,
  ack: keyof typeof PATIENCE_MS = "stored",
): Promise<StatusReply> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const status = await caller.status(id);
    if (status.done || waitedMs >= PATIENCE_MS[ack]) return status;
    await delay(systemClock, POLL_MS);
  }
}

/** Returns the receipts and errors of a status without the keys of errors, which it need not contain. */
function fates({ receipts, errors }: Pick<StatusReply, "receipts" | "errors">) {
  return {
    receipts: receipts.map(({ index, key_hash, outcome, revision }) => ({
      index,
      key_hash,
      outcome,
      revision,
    })),
    errors: errors.map(({ index, code, detail, retryable }) => ({ index, code, detail, retryable })),
  };
}

/** Status of an earlier store. */
export const retryStatusChecks: readonly Check[] = [
  memoryCheck({
    id: "retry/status-of-a-store",
    clauses: ["STATUS-1", "STATUS-2", "PLUG-15"],
    async run({ caller, entry, expect }) {
      const [id, one] = [newRequestId(), entry()];
      await caller.store(one);
      const stored = await caller.store([{ ...one, content: "changed" }, entry()], { id });
      expect.equal(stored.receipts.length, 2, "receipts of a store of 2 entries");
      await caller.store(entry());
      const status = await settledStatus(caller, id);
      expect.equal(status.done, true, "`done` of the status of a store that was answered some seconds ago");
      expect.equal(
        fates(status),
        fates(stored),
        "receipts and errors of the status of a store, compared with its reply",
      );
    },
  }),
  memoryCheck({
    id: "retry/status-of-a-queued-store",
    clauses: ["STATUS-2", "PLUG-15", "STORE-6"],
    features: ["queued"],
    async run({ caller, entry, expect }) {
      const [id, one] = [newRequestId(), entry()];
      await caller.store(one);
      await caller.store([{ ...one, content: "changed" }, entry()], { id, ack: "queued" });
      const { done, receipts } = await settledStatus(caller, id, "queued");
      expect.equal(done, true, '`done` of the status of a store with ack "queued", some seconds after it');
      const outcomes = receipts.map(({ index, outcome }) => ({ index, outcome }));
      const expected = [
        { index: 0, outcome: "updated" },
        { index: 1, outcome: "created" },
      ];
      expect.equal(
        outcomes,
        expected,
        'outcomes in the status of a store with ack "queued", once it is done',
      );
    },
  }),
  memoryCheck({
    id: "retry/status-tells-errors",
    clauses: ["STATUS-2", "PLUG-15"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const [id, one] = [newRequestId(), entry()];
      await caller.store(one);
      const stored = await caller.store([entry(), { ...one, if_revision: 0 }], { id });
      expect.equal(stored.errors.length, 1, "errors of a store with `if_revision` 0 of a key that exists");
      const status = await settledStatus(caller, id);
      expect.equal(
        fates(status),
        fates(stored),
        "receipts and errors of the status of a store with one refused entry",
      );
    },
  }),
  memoryCheck({
    id: "retry/status-of-nothing-known",
    clauses: ["STATUS-4", "PLUG-15"],
    async run({ caller, entry, expect }) {
      const [stored, forgotten] = [newRequestId(), newRequestId()];
      await caller.store(entry({ tags: ["red"] }), { id: stored });
      await caller.forget({ tags: ["red"], id: forgotten });
      const { receipts } = await settledStatus(caller, stored);
      expect.equal(
        receipts.length,
        1,
        "receipts in the status of a store of 1 entry, which was forgotten since",
      );
      const unknown = caller.status(newRequestId());
      await expect.refused(unknown, "memory_not_found", "a status with an unused id");
      const other = caller.status(forgotten);
      await expect.refused(other, "memory_not_found", "a status with the id of a forget");
    },
  }),
  memoryCheck({
    id: "retry/status-of-another-agent",
    clauses: ["STATUS-4", "STATUS-1", "PLUG-14"],
    async run({ caller, agent, entry, expect }) {
      const [id, second] = [newRequestId(), agent({ agent: "second" })];
      await caller.store([entry(), entry()], { id });
      const anothers = second.status(id);
      await expect.refused(anothers, "memory_not_found", "a status of a store of another agent");
      const own = await second.store(entry({ key: { id: "of the second" } }), { id });
      const status = await settledStatus(second, id);
      expect.equal(
        fates(status),
        fates(own),
        "receipts of the status of a store with an id that another agent used too",
      );
      const first = await settledStatus(caller, id);
      expect.equal(
        first.receipts.length,
        2,
        "receipts of the status of a store of 2 entries with an id that another agent used later",
      );
    },
  }),
  memoryCheck({
    id: "retry/status-of-another-tenant",
    clauses: ["STATUS-4", "STATUS-1", "PLUG-14"],
    provisions: ["second_tenant"],
    async run({ caller, agent, entry, expect }) {
      const id = newRequestId();
      await caller.store(entry(), { id });
      const anothers = agent({ tenant: "second" }).status(id);
      await expect.refused(
        anothers,
        "memory_not_found",
        "a status of a store of the agent with the same name in another tenant",
      );
      const { receipts } = await settledStatus(caller, id);
      expect.equal(receipts.length, 1, "receipts of the status of one's own store of 1 entry");
    },
  }),
  hostCheck({
    id: "retry/status-kind",
    clauses: ["STATUS-3"],
    async run(t) {
      const request_id = newRequestId();
      await t.caller.store(t.entry(), { id: request_id });
      for (const kind of [{}, { kind: null }, { kind: "store" }]) {
        const what = `a status with ${JSON.stringify(kind)}`;
        const reply = await accepted(t, what, "status", request(t, "status", { request_id, ...kind }));
        t.expect.equal(reply.kind, "store", `\`kind\` in the reply to ${what}`);
        t.expect.equal(reply.request_id, request_id, `\`request_id\` in the reply to ${what}`);
      }
      const what = "a status of an unknown kind";
      const asked = request(t, "status", { request_id, kind: "embedding" });
      await refused(t, what, "status", asked, "unsupported");
    },
  }),
];
