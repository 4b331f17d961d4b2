import { CONTENT_TYPE_HEADER, CONTENT_TYPES, keyHash, MemoryEventSchema } from "@membus/protocol";
import { type Check, hostTierCheck } from "../../catalogue/check.js";
import { keysOf, notStored, ofAction, subjectOf, watchEvents } from "../../fixtures/event-watch.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { eventAgentChecks } from "./events-agents.js";

/** Maximum difference between the host's and the suite's clock, in seconds. */
const CLOCK_SKEW = 60;
/** More events than a correct host queues at once. */
const HUNDREDS = 400;

const storedChecks: readonly Check[] = [
  hostTierCheck({
    id: "events/stored-says-what-is-stored",
    clauses: ["EVENT-1", "SUBJ-6"],
    async run(t) {
      const { expect } = t;
      const watch = await watchEvents(t);
      const agent = t.agent({ below: "told" });
      const entry = watch.entry("a", { tags: ["tea", "time"], group: "talk" });
      const askedAt = t.now();
      const { receipts } = await agent.store(entry);
      const reported = await watch.reported(1);
      const subjects = reported.map(({ subject }) => subject);
      expect.equal(
        subjects,
        [subjectOf(t, agent, "stored")],
        "subjects of the events after a store of one new entry",
      );
      const { event } = reported[0]!;
      const problems = MemoryEventSchema.safeParse(event).error?.issues.map(({ path }) => path.join("."));
      expect.equal(problems, undefined, "fields of the `stored` event that are missing or of another type");
      const observed = {
        action: "stored",
        tier: t.tier,
        namespace: agent.namespace,
        key: entry.key,
        key_hash: keyHash(entry.key as { id: string }),
        tags: ["tea", "time"],
        group: "talk",
        revision: receipts[0]!.revision,
        author: agent.agent,
      };
      for (const [name, value] of Object.entries(observed)) {
        expect.equal(event[name], value, `\`${name}\` of the \`stored\` event of a new entry`);
      }
      expect.atLeast(event.at, askedAt - CLOCK_SKEW, "`at` of the `stored` event, in Unix seconds");
      expect.atMost(event.at, t.now() + CLOCK_SKEW, "`at` of the `stored` event, in Unix seconds");
    },
  }),
  hostTierCheck({
    id: "events/hold-no-content",
    clauses: ["EVENT-1"],
    async run(t) {
      const { caller, expect } = t;
      const watch = await watchEvents(t);
      const secret = newRequestId();
      const entry = watch.entry("a", {
        content: { said: `content ${secret}` },
        text: `text ${secret}`,
        context: `context ${secret}`,
      });
      await caller.store(entry);
      await caller.forget({ keys: [entry.key] });
      const reported = await watch.reported(2);
      expect.sameMembers(
        reported.map(({ event }) => event.action),
        ["stored", "forgotten"],
        "actions of the events after a store and a forget of one entry",
      );
      for (const { event, message } of reported) {
        const bytes = Buffer.from(message.payload).toString("latin1");
        const found = new RegExp(`\\w{1,20} ${secret}`).exec(bytes)?.[0];
        expect.equal(
          found,
          undefined,
          `content, text or context of the entry within its ${event.action} event`,
        );
        const fields = Object.keys(event).filter((name) => ["content", "text", "context"].includes(name));
        expect.equal(
          fields,
          [],
          `fields of the ${event.action} event with content, text or context of the entry`,
        );
      }
    },
  }),
  hostTierCheck({
    id: "events/once-for-every-receipt",
    clauses: ["EVENT-2", "STORE-10"],
    async run(t) {
      const { caller, expect } = t;
      const watch = await watchEvents(t);
      const id = newRequestId();
      const { receipts } = await caller.store(
        ["a", "b", "c"].map((name) => watch.entry(name)),
        { id },
      );
      const reported = await watch.seen(3);
      const isClaimed = receipts.some(({ event_id }) => event_id !== undefined);
      expect.precondition(reported.length > 0 || isClaimed, "needs a host that publishes events of stores");
      expect.equal(
        receipts.map(({ event_id }) => event_id),
        [`${id}/0`, `${id}/1`, `${id}/2`],
        "`event_id` of the receipts of a store of 3 new entries: the id of the request, a slash, the index",
      );
      expect.sameMembers(
        reported.map(({ event }) => event.event_id),
        receipts.map(({ event_id }) => event_id),
        "`event_id` of the events after a store of 3 new entries, each published once",
      );
      expect.equal(
        new Set(reported.map(({ event }) => event.id)).size,
        3,
        "different ids among the 3 events",
      );
    },
  }),
  hostTierCheck({
    id: "events/none-for-a-repeated-request",
    clauses: ["EVENT-2", "RETRY-1"],
    async run(t) {
      const { caller, expect } = t;
      const watch = await watchEvents(t);
      const [entry, id, forgetId] = [watch.entry("a"), newRequestId(), newRequestId()];
      await caller.store(entry, { id });
      await caller.store(entry, { id });
      await caller.forget({ keys: [entry.key], id: forgetId });
      await caller.forget({ keys: [entry.key], id: forgetId });
      const reported = await watch.reported(2);
      expect.sameMembers(
        reported.map(({ event }) => event.action),
        ["stored", "forgotten"],
        "actions of the events after a store and a forget that were each sent twice under one id",
      );
    },
  }),
  hostTierCheck({
    id: "events/stored-for-every-write",
    clauses: ["EVENT-4"],
    async run(t) {
      const { caller, expect } = t;
      const watch = await watchEvents(t);
      const [a, b] = [watch.entry("a", { content: 1 }), watch.entry("b", { content: 1 })];
      const created = await caller.store([a, b]);
      const updated = await caller.store({ ...a, content: 2 });
      const reported = ofAction(await watch.seen(3), "stored");
      const written = [a, b, a].map(({ key }, index) => ({
        key,
        revision: [...created.receipts, ...updated.receipts][index]?.revision,
      }));
      expect.sameMembers(
        reported.map(({ event: { key, revision } }) => ({ key, revision })),
        written,
        "key and revision of the `stored` events after two new entries and an update of the first",
      );
    },
  }),
  hostTierCheck({
    id: "events/none-for-unchanged",
    clauses: ["EVENT-5", "UPD-6"],
    async run(t) {
      const { caller, expect } = t;
      const watch = await watchEvents(t);
      const entry = watch.entry("a", { content: 1 });
      const created = await caller.store(entry);
      const unchanged = await caller.store(entry);
      const updated = await caller.store({ ...entry, content: 2 });
      const reported = await watch.reported(2);
      expect.equal(
        unchanged.receipts.map(({ outcome, event_id }) => ({ outcome, event_id })),
        [{ outcome: "unchanged" }],
        "outcome and `event_id` of a store without a change",
      );
      expect.sameMembers(
        reported.map(({ event }) => event.revision),
        [created, updated].map(({ receipts }) => receipts[0]?.revision),
        "revisions of the events after a new entry, the same store again, and a store of other content",
      );
    },
  }),
  hostTierCheck({
    id: "events/none-for-refused-entries",
    clauses: ["STORE-10", "EVENT-4"],
    async run(t) {
      const { caller, expect } = t;
      const watch = await watchEvents(t);
      const good = watch.entry("good");
      const bad = { ...watch.entry("bad"), metadata: { nested: { deep: 1 } } as never };
      const { errors } = await caller.store([bad, good]);
      const reported = await watch.reported(1);
      expect.equal(
        errors.map(({ index, code }) => ({ index, code })),
        [{ index: 0, code: "schema_violation" }],
        "errors of a store of an entry with nested metadata and a valid one",
      );
      expect.equal(
        keysOf(reported),
        [good.key],
        "keys of the events after a store that refused one of 2 entries",
      );
    },
  }),
  hostTierCheck({
    id: "events/in-json",
    clauses: ["ENC-8"],
    async run(t) {
      const { caller, expect } = t;
      const watch = await watchEvents(t);
      const { namespace } = caller;
      const fields = { type: "memory/store/req", namespace, entries: [watch.entry("a")] };
      await t.send("store", fields, { encoding: "msgpack" });
      const reported = await watch.seen(1);
      expect.equal(reported.length, 1, "events after a store of one entry in MessagePack");
      const { payload, headers } = reported[0]!.message;
      expect.equal(payload[0], "{".charCodeAt(0), "first byte of the event, a brace in JSON");
      expect.equal(headers[CONTENT_TYPE_HEADER], CONTENT_TYPES.json, "`Content-Type` of the event");
    },
  }),
];

const removalChecks: readonly Check[] = [
  hostTierCheck({
    id: "events/forgotten-for-every-entry",
    clauses: ["EVENT-4"],
    async run(t) {
      const { caller, expect } = t;
      const watch = await watchEvents(t);
      const entries = ["a", "b", "c"].map((name) => watch.entry(name, { tags: [name] }));
      await caller.store(entries);
      await caller.forget({ tags: ["a", "c"] });
      const reported = notStored(await watch.seen(5));
      expect.equal(
        reported.map(({ subject }) => subject),
        [subjectOf(t, caller, "forgotten"), subjectOf(t, caller, "forgotten")],
        "subjects of the events after a forget of 2 of 3 entries",
      );
      expect.sameMembers(
        reported.map(({ event: { action, tier, key, tags } }) => ({ action, tier, key, tags })),
        [entries[0]!, entries[2]!].map(({ key, tags }) => ({ action: "forgotten", tier: t.tier, key, tags })),
        "action, tier, key and tags of the events after a forget of 2 of 3 entries",
      );
    },
  }),
  hostTierCheck({
    id: "events/each-of-hundreds-forgotten",
    clauses: ["EVENT-4"],
    turn: "alone",
    async run(t) {
      const { caller, expect } = t;
      // Earlier checks may have used up the event rate of the host for this second (EVENT-2).
      await t.passTime(1.1);
      const watch = await watchEvents(t);
      const entries = Array.from({ length: HUNDREDS }, (_, at) => watch.entry(`${at}`, { tags: ["red"] }));
      await caller.store(entries);
      const { deleted } = await caller.forget({ tags: ["red"] });
      const reported = ofAction(await watch.seen(2 * HUNDREDS), "forgotten");
      const once = new Set(keysOf(reported).map((key) => JSON.stringify(key)));
      expect.equal(deleted, HUNDREDS, `\`deleted\` of a forget of ${HUNDREDS} entries`);
      const counts = { reported: reported.length, entries: once.size };
      const what = `\`forgotten\` events of a forget of ${HUNDREDS} entries, and entries with such an event`;
      expect.equal(counts, { reported: HUNDREDS, entries: HUNDREDS }, what);
    },
  }),
  hostTierCheck({
    id: "events/none-for-a-dry-run",
    clauses: ["FORGET-2", "EVENT-4"],
    async run(t) {
      const { caller, expect } = t;
      const watch = await watchEvents(t);
      const [a, b] = [watch.entry("a"), watch.entry("b")];
      await caller.store([a, b]);
      const { deleted } = await caller.forget({ keys: [a.key], dry_run: true });
      await caller.forget({ keys: [b.key] });
      const reported = ofAction(await watch.reported(3), "forgotten");
      expect.equal(deleted, 1, "`deleted` of a forget of one entry with `dry_run`");
      expect.equal(
        keysOf(reported),
        [b.key],
        "keys of the `forgotten` events after a dry run on a and a forget of b",
      );
    },
  }),
  hostTierCheck({
    id: "events/expired-for-every-entry-that-ends",
    clauses: ["EVENT-4"],
    features: ["ttl"],
    async run(t) {
      const { caller, expect } = t;
      const watch = await watchEvents(t);
      const [short, long] = [watch.entry("short", { ttl: 1 }), watch.entry("long", { ttl: 3_600 })];
      await caller.store([short, long]);
      await t.passTime(2);
      await caller.retrieve();
      const reported = notStored(await watch.seen(3));
      expect.equal(
        reported.map(({ event: { action, key } }) => ({ action, key })),
        [{ action: "expired", key: short.key }],
        "action and key of the events after an entry with ttl 1 expired, with another of ttl 3600",
      );
    },
  }),
];

export const eventsChecks: readonly Check[] = [...storedChecks, ...removalChecks, ...eventAgentChecks];
