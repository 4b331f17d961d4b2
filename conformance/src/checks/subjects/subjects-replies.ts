import {
  agentToken,
  CONTENT_TYPE_HEADER,
  CONTENT_TYPES,
  delay,
  encodeMessage,
  type Message,
  systemClock,
} from "@membus/protocol";
import type { BusMessage } from "@membus/protocol/plugin";
import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import { accepted, type Operation, recordOf, request, storedEntries } from "../../fixtures/bare-messages.js";
import { PATIENCE_MS } from "../../fixtures/patience.js";
import { parseJson } from "../../host-route/parse-json.js";

const SETTLE_MS = 300;
const STEP_MS = 25;

/** Publishes a request with or without a reply subject. */
function publish(t: HostContext, operation: Operation, message: Message, reply?: string): void {
  const headers = { [CONTENT_TYPE_HEADER]: CONTENT_TYPES.json };
  t.bus.publish(t.subject(operation), encodeMessage(message, "json"), {
    headers,
    ...(reply !== undefined && { reply }),
  });
}

/** Waits until the condition holds or the time is over. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = systemClock.now() + PATIENCE_MS / 1_000;
  while (!(await holds()) && systemClock.now() < end) await delay(systemClock, STEP_MS);
}

/** Returns the entries of the check once there are `count`, or after the time limit. */
async function entriesOnce(t: HostContext, count: number): Promise<readonly Message[]> {
  let entries: readonly Message[] = [];
  await until(async () => {
    entries = await storedEntries(t);
    return entries.length === count;
  });
  return entries;
}

/** Returns reply subjects outside of every inbox. The last one is an event subject. */
function outside(t: HostContext): readonly string[] {
  const mark = t.random.hex(12);
  return [
    `conformance.${mark}.reply`,
    `inbox.${mark}`,
    `_INBO.${mark}`,
    `${mark}._INBOX.a`,
    `${t.prefix}.${t.caller.tenant}.conformance-${mark}.events.memory.semantic.stored`,
  ];
}

/** Returns reply subjects in inboxes of other agents, and of names with another beginning or end. */
function ofOthers(t: HostContext): readonly string[] {
  const own = agentToken(t.caller.agent);
  const other = agentToken(t.agent({ agent: "second" }).agent);
  const mark = t.random.hex(12);
  return [other, `${own}${mark}`, own.slice(0, -1)]
    .map((agent) => `_INBOX_${agent}.${mark}`)
    .concat(`_INBOX${mark}.a`);
}

/** Sends a request with each reply subject and returns the subjects that received a reply. */
async function answered(t: HostContext, replies: readonly string[]): Promise<readonly string[]> {
  const received: BusMessage[] = [];
  const listen = (reply: string) => t.bus.subscribe(reply, (message) => void received.push(message));
  const subscriptions = replies.map(listen);
  await t.bus.flush();
  for (const reply of replies) {
    publish(t, "ping", request(t, "ping"), reply);
    publish(t, "retrieve", request(t, "retrieve", { tier: t.tier }), reply);
    publish(t, "store", { type: "broken" }, reply);
  }
  await accepted(t, "a ping with a reply subject in an inbox", "ping", request(t, "ping"));
  await delay(systemClock, SETTLE_MS);
  await Promise.all(subscriptions.map((subscription) => subscription.drain()));
  return received.map(({ subject }) => subject);
}

export const subjectsReplyChecks: readonly Check[] = [
  hostCheck({
    id: "subjects/reply-outside-the-inboxes-is-not-answered",
    clauses: ["SUBJ-5"],
    async run(t) {
      const replies = outside(t);
      t.expect.equal(
        await answered(t, replies),
        [],
        `subjects on which the host answered requests with the reply subjects ${replies.join(", ")}`,
      );
    },
  }),
  hostCheck({
    id: "subjects/reply-in-the-inbox-of-another-is-not-answered",
    clauses: ["SUBJ-11"],
    async run(t) {
      const replies = ofOthers(t);
      t.expect.equal(
        await answered(t, replies),
        [],
        `subjects on which the host answered ${t.caller.agent} for the reply subjects ${replies.join(", ")}`,
      );
    },
  }),
  hostTierCheck({
    id: "subjects/reply-outside-the-inboxes-has-no-effect",
    clauses: ["SUBJ-5"],
    async run(t) {
      const kept = t.entry();
      await t.caller.store(kept);
      for (const reply of outside(t)) {
        publish(t, "store", request(t, "store", { entries: [t.entry()] }), reply);
        publish(t, "forget", request(t, "forget", { tier: t.tier, all: true }), reply);
      }
      await t.bus.flush();
      await delay(systemClock, SETTLE_MS);
      t.expect.equal(
        (await storedEntries(t)).map(({ key }) => key),
        [kept.key],
        "keys of all entries after stores and forgets with reply subjects outside of every inbox",
      );
    },
  }),
  hostCheck({
    id: "subjects/private-inbox-is-answered",
    clauses: ["SUBJ-5", "SUBJ-11", "ERR-10"],
    async run(t) {
      const mark = t.random.hex(12);
      const replies = [
        `_INBOX_${agentToken(t.caller.agent)}.${mark}`,
        `${t.bus.inboxPrefix}.${mark}.a.b`,
        `${t.bus.inboxPrefix}.${mark}`,
      ];
      for (const reply of replies) {
        const received: BusMessage[] = [];
        const subscription = t.bus.subscribe(reply, (message) => void received.push(message));
        await t.bus.flush();
        publish(t, "ping", request(t, "ping"), reply);
        await until(() => received.length > 0);
        await subscription.drain();
        const types = received.map(({ payload }) => recordOf(parseJson(payload)).type);
        t.expect.equal(types, ["pong"], `types of the replies to a ping with the reply subject ${reply}`);
      }
    },
  }),
  hostTierCheck({
    id: "subjects/store-without-a-reply-subject-is-carried-out",
    clauses: ["SUBJ-10"],
    async run(t) {
      const entries = [t.entry(), t.entry()];
      publish(t, "store", request(t, "store", { entries }));
      const found = await entriesOnce(t, 2);
      t.expect.sameMembers(
        found.map(({ key }) => key),
        entries.map(({ key }) => key),
        "keys found after a store of two entries without a reply subject",
      );
    },
  }),
  hostTierCheck({
    id: "subjects/forget-without-a-reply-subject-is-carried-out",
    clauses: ["SUBJ-10"],
    async run(t) {
      const [deleted, kept] = [t.entry({ tags: ["gone"] }), t.entry({ tags: ["kept"] })];
      await t.caller.store([deleted, kept]);
      publish(t, "forget", request(t, "forget", { tier: t.tier, tags: ["gone"] }));
      const found = await entriesOnce(t, 1);
      t.expect.equal(
        found.map(({ key }) => key),
        [kept.key],
        "keys found after a forget of the other entry without a reply subject",
      );
    },
  }),
];
