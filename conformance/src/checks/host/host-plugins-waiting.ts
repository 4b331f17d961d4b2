import { encodeMessage, MemoryError, type Message, systemClock, withTimeout } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext, OwnHost, WireReply } from "../../context.js";
import { answer, type Operation, recordOf, request } from "../../fixtures/bare-messages.js";
import { Gate } from "../../fixtures/gate.js";
import { findHost } from "../../fixtures/host-info.js";
import { PATIENCE_MS } from "../../fixtures/patience.js";
import { pending } from "../../fixtures/pending.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { answersTo } from "../../host-route/answers-to.js";
import { ScriptedPlugin } from "../../host-route/scripted-plugin.js";

/** Time for a pending reply to arrive. */
const REPLY_WAIT_MS = 250;

export interface SlowHost {
  readonly own: OwnHost;
  readonly plugin: ScriptedPlugin;
  /** Gate that blocks all calls of the plugin. */
  readonly gate: Gate;
}

/** Starts a host with one plugin that waits at a gate. */
export async function startSlowHost(t: HostContext, inFlightCountMax?: number): Promise<SlowHost> {
  const plugin = new ScriptedPlugin();
  const limit = inFlightCountMax === undefined ? {} : { inFlightCountMax };
  const own = await t.startHost({ plugins: { working: plugin }, ...limit });
  const gate = new Gate();
  const wait = async <Result>(usual: () => Promise<Result>): Promise<Result> => {
    await gate.pass();
    return usual();
  };
  plugin.script = { onStore: wait, onRetrieve: wait, onForget: wait };
  return { own, plugin, gate };
}

/** Resolves once the host has received all earlier requests. */
async function passed(own: OwnHost): Promise<void> {
  await answer(own, "a ping after it", "ping", request(own, "ping"));
}

/** Sends a request with a plugin that does not return, and expects the reply at the deadline. */
async function expectTimeout(
  { own, gate }: SlowHost,
  operation: Operation,
  fields: Readonly<Message>,
  { early, late }: { readonly early: number; readonly late: number },
): Promise<void> {
  const { expect } = own;
  const described = fields.deadline_ms === undefined ? "no deadline_ms" : `deadline_ms ${fields.deadline_ms}`;
  const what = `a ${operation} with ${described} and a plugin that does not return`;
  const sent = request(own, operation, fields);
  const reply = pending(answer(own, `${what}, ${late} s after it was sent`, operation, sent));
  expect.equal(await gate.arrivals(1), 1, `calls of the plugin for ${what}`);
  await own.passTime(early);
  const before = await withTimeout(systemClock, REPLY_WAIT_MS, reply);
  expect.equal(before?.message, undefined, `the reply to ${what}, ${early} s after it was sent`);
  await own.passTime(late - early);
  const { message } = await reply;
  const { type, code, retryable } = message;
  expect.equal(
    { type, code, retryable },
    { type: "error", code: "timeout", retryable: true },
    `the reply to ${what}, ${late} s after it was sent`,
  );
}

const deadlineChecks: readonly Check[] = [
  ...(["store", "retrieve", "forget"] as const).map((operation) =>
    hostCheck({
      id: `host-plugins/${operation}-is-answered-at-its-deadline`,
      clauses: ["ENV-11"],
      provisions: ["own_plugins"],
      async run(t) {
        const host = await startSlowHost(t);
        const fields =
          operation === "store" ? { entries: [host.own.entry()] } : { tier: "working", tags: ["a"] };
        await expectTimeout(host, operation, { ...fields, deadline_ms: 10_000 }, { early: 8, late: 11 });
      },
    }),
  ),
  hostCheck({
    id: "host-plugins/deadline-is-five-seconds-unless-given",
    clauses: ["ENV-11"],
    provisions: ["own_plugins"],
    async run(t) {
      const host = await startSlowHost(t);
      await expectTimeout(host, "retrieve", { tier: "working" }, { early: 4, late: 6 });
    },
  }),
  hostCheck({
    id: "host-plugins/late-result-is-not-a-second-reply",
    clauses: ["ERR-10", "ENV-11"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, gate } = await startSlowHost(t);
      const asked = request(own, "retrieve", { tier: "working", deadline_ms: 1_000 });
      const waits = { firstMs: PATIENCE_MS, othersMs: 3 * REPLY_WAIT_MS };
      const sent = encodeMessage(asked, "json");
      const replies = pending(answersTo(own.bus, own.subject("retrieve"), sent, waits));
      t.expect.equal(await gate.arrivals(1), 1, "calls of the plugin for a retrieve");
      await own.passTime(2);
      await passed(own);
      gate.open();
      t.expect.equal(
        (await replies).length,
        1,
        "replies to a retrieve with a plugin that returned after the deadline",
      );
    },
  }),
];

const repeatChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/repeated-store-joins-the-first",
    clauses: ["RETRY-3"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, plugin, gate } = await startSlowHost(t);
      const [entry, id] = [own.entry(), newRequestId()];
      const first = own.caller.store(entry, { id });
      t.expect.equal(await gate.arrivals(1), 1, "calls of `onStore` for a store");
      const second = own.caller.store(entry, { id });
      await passed(own);
      gate.open();
      const what = "of a store that is sent again under its id before its plugin has returned";
      expectSame(t, await second, await first, ["stored", "receipts", "errors"], what);
      t.expect.equal(plugin.stores.length, 1, `calls of \`onStore\` ${what}`);
    },
  }),
  hostCheck({
    id: "host-plugins/repeated-forget-joins-the-first",
    clauses: ["RETRY-3"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, plugin, gate } = await startSlowHost(t);
      const asked = { tags: ["a"], id: newRequestId() };
      const first = own.caller.forget(asked);
      t.expect.equal(await gate.arrivals(1), 1, "calls of `onForget` for a forget");
      const second = own.caller.forget(asked);
      await passed(own);
      gate.open();
      const what = "of a forget that is sent again under its id before its plugin has returned";
      expectSame(t, await second, await first, ["deleted", "receipt"], what);
      const calls = plugin.log.filter((call) => call === "onForget");
      t.expect.equal(calls, ["onForget"], `calls of the plugin ${what}`);
    },
  }),
  hostCheck({
    id: "host-plugins/other-body-under-an-id-in-work-is-a-conflict",
    clauses: ["RETRY-1"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, plugin, gate } = await startSlowHost(t);
      const id = newRequestId();
      const first = own.caller.store(own.entry({ content: "first" }), { id });
      t.expect.equal(await gate.arrivals(1), 1, "calls of `onStore` for a store");
      const other = own.caller.store(own.entry({ content: "other" }), { id });
      const what = "a store under the id of another pending store";
      await passed(own);
      gate.open();
      await t.expect.refused(other, "conflict", what);
      t.expect.equal((await first).receipts.length, 1, "receipts of the store with the reused id");
      t.expect.equal(plugin.stores.length, 1, `calls of \`onStore\` after ${what}`);
    },
  }),
  hostCheck({
    id: "host-plugins/retryable-error-is-not-remembered",
    clauses: ["RETRY-5"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const plugin = new ScriptedPlugin();
      const own = await t.startHost({ plugins: { working: plugin } });
      const [entry, id, forgetId] = [own.entry(), newRequestId(), newRequestId()];
      const fail = async () => {
        throw new MemoryError("unavailable", "the disk is unavailable");
      };
      plugin.script = { onStore: fail, onForget: fail };
      const { errors } = await own.caller.store(entry, { id });
      const forget = { keys: [entry.key], id: forgetId };
      expect.equal(
        errors.map(({ code }) => code),
        ["unavailable"],
        "codes of a store after the plugin threw unavailable",
      );
      await expect.refused(
        own.caller.forget(forget),
        "unavailable",
        "a forget after the plugin threw unavailable",
      );
      plugin.script = {};
      const retried = await own.caller.store(entry, { id });
      expect.equal(
        { errors: retried.errors, outcomes: retried.receipts.map(({ outcome }) => outcome) },
        { errors: [], outcomes: ["created"] },
        "errors and outcomes of the same store sent again after the plugin recovered",
      );
      const { deleted } = await own.caller.forget(forget);
      expect.equal(deleted, 1, "`deleted` of the same forget sent again after the plugin recovered");
    },
  }),
  hostCheck({
    id: "host-plugins/status-of-a-store-in-work-is-not-done",
    clauses: ["STATUS-2"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, gate } = await startSlowHost(t);
      const id = newRequestId();
      const stored = own.caller.store(own.entry(), { id });
      t.expect.equal(await gate.arrivals(1), 1, "calls of `onStore` for a store");
      const during = await own.caller.status(id).finally(() => gate.open());
      t.expect.equal(during.done, false, "`done` of the status of a store before its plugin has returned");
      const { receipts } = await stored;
      const after = await own.caller.status(id);
      const known = { done: after.done, receipts: after.receipts };
      t.expect.equal(
        known,
        { done: true, receipts },
        "`done` and receipts of the status of a store that was answered",
      );
    },
  }),
];

/** Expects the second reply to equal the first one except for its id and time. */
function expectSame<Reply extends object>(
  { expect }: HostContext,
  second: Reply,
  first: Reply,
  fields: readonly (keyof Reply & string)[],
  what: string,
): void {
  for (const field of fields) {
    expect.equal(
      second[field],
      first[field],
      `\`${field}\` of the second reply, equal to the first, ${what}`,
    );
  }
}

/** Number of bytes before the id of a request. The id still ends within the first 1,024 bytes. */
const BEFORE_ID = 900;
/** Maximum number of refusals to one agent within a second. */
const REFUSALS_ANSWERED = 1_000;
/** Time during which further requests of the agent may be dropped, with a margin. */
const FLOOD_SECONDS = 1.1;

const overloadChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/full-host-is-overloaded",
    clauses: ["ERR-9", "ERR-2"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, gate } = await startSlowHost(t, 1);
      const first = own.caller.store(own.entry());
      t.expect.equal(await gate.arrivals(1), 1, "calls of `onStore` for a store");
      const what = "a retrieve while a host with a capacity of one has a pending request";
      const reply = await answer(
        own,
        what,
        "retrieve",
        request(own, "retrieve", { tier: "working" }),
      ).finally(() => gate.open());
      expectOverloaded(own, reply, what);
      t.expect.equal((await first).errors, [], "errors of the pending store");
      t.expect.equal(
        (await own.caller.retrieve()).total,
        1,
        "total of a retrieve after the host has capacity again",
      );
    },
  }),
  hostCheck({
    id: "host-plugins/refused-request-is-named",
    clauses: ["ERR-12"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, gate } = await startSlowHost(t, 1);
      const first = own.caller.store(own.entry());
      t.expect.equal(await gate.arrivals(1), 1, "calls of `onStore` for a store");
      const entries = [{ key: "large", content: "x".repeat(100_000) }];
      for (const encoding of ["json", "msgpack"] as const) {
        for (const before of ["", "x".repeat(BEFORE_ID)]) {
          const sent: Message = { x_before: before, ...request(own, "store", { entries }) };
          const place = Buffer.from(encodeMessage(sent, encoding)).indexOf(`${sent.id}`);
          const what = `a store of 100,000 bytes in ${encoding}, its id at byte ${place}, to a host at capacity`;
          const reply = await answer(own, what, "store", encodeMessage(sent, encoding));
          expectOverloaded(own, reply, what);
          t.expect.equal(reply.message.req_id, sent.id, `req_id of the reply to ${what}`);
        }
      }
      gate.open();
      t.expect.equal((await first).errors, [], "errors of the pending store");
    },
  }),
  hostCheck({
    id: "host-plugins/thousand-refusals-are-answered",
    clauses: ["ERR-13", "ERR-10"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, gate } = await startSlowHost(t, 1);
      const first = own.caller.store(own.entry());
      t.expect.equal(await gate.arrivals(1), 1, "calls of `onStore` for a store");
      const what = "one of a thousand concurrent pings to a host at capacity";
      const ask = () => answer(own, what, "ping", request(own, "ping"));
      const replies = await Promise.all(Array.from({ length: REFUSALS_ANSWERED }, ask)).finally(() =>
        gate.open(),
      );
      for (const reply of replies) expectOverloaded(own, reply, what);
      t.expect.equal((await first).errors, [], "errors of the pending store");
    },
  }),
  hostCheck({
    id: "host-plugins/flood-is-heard-again-after-a-second",
    clauses: ["ERR-13", "ERR-17"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, gate } = await startSlowHost(t, 1);
      const first = own.caller.store(own.entry());
      t.expect.equal(await gate.arrivals(1), 1, "calls of `onStore` for a store");
      const payload = encodeMessage(request(own, "ping"), "json");
      const reply = `${own.bus.inboxPrefix}.${newRequestId()}`;
      for (let count = 0; count < 2 * REFUSALS_ANSWERED; count++) {
        own.bus.publish(own.subject("ping"), payload, { reply });
      }
      await findHost(own);
      await own.passTime(FLOOD_SECONDS);
      const what = "a ping of an agent a second after it sent 2,000 pings to a host at capacity";
      const refusal = await answer(own, what, "ping", request(own, "ping")).finally(() => gate.open());
      expectOverloaded(own, refusal, what);
      t.expect.equal((await first).errors, [], "errors of the pending store");
    },
  }),
  hostCheck({
    id: "host-plugins/overloaded-plugin-tells-when-to-retry",
    clauses: ["ERR-9"],
    provisions: ["own_plugins"],
    async run(t) {
      const plugin = new ScriptedPlugin();
      const own = await t.startHost({ plugins: { working: plugin } });
      const fail = async () => {
        throw new MemoryError("overloaded", "too many requests");
      };
      plugin.script = { onStore: fail, onRetrieve: fail, onForget: fail };
      for (const operation of ["retrieve", "forget"] as const) {
        const what = `a ${operation} after the plugin threw overloaded without retry_after_ms`;
        const asked = request(own, operation, { tier: "working", tags: ["a"] });
        expectOverloaded(own, await answer(own, what, operation, asked), what);
      }
      const { errors } = await own.caller.store(own.entry());
      const what = "a store after the plugin threw overloaded without retry_after_ms";
      t.expect.equal(
        errors.map(({ code }) => code),
        ["overloaded"],
        `codes of the errors of ${what}`,
      );
      t.expect.atLeast(
        Number(errors[0]!.detail.retry_after_ms),
        1,
        `detail.retry_after_ms of the error of ${what}`,
      );
    },
  }),
];

function expectOverloaded({ expect }: OwnHost, { message }: WireReply, what: string): void {
  expect.equal(
    { code: message.code, retryable: message.retryable },
    { code: "overloaded", retryable: true },
    `the reply to ${what}`,
  );
  const { retry_after_ms } = recordOf(message.detail);
  const isTime = typeof retry_after_ms === "number" && retry_after_ms > 0;
  expect.holds(isTime, `detail.retry_after_ms of the reply to ${what}`, retry_after_ms, "milliseconds");
}

export const waitingChecks: readonly Check[] = [...deadlineChecks, ...repeatChecks, ...overloadChecks];
