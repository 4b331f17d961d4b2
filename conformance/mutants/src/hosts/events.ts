import { randomUUID } from "node:crypto";
import { encodeMessage, eventSubject, type Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import {
  interceptEvents,
  interceptReplies,
  type ReadReply,
  rewriteEvents,
  rewriteRequests,
  type Sent,
} from "./intercept.js";

const OF_WRITERS = "events/expired-is-of-who-wrote-each-entry";

/** Changes one field of the `stored` events. */
function withField(name: string, value: (event: Message) => unknown) {
  return (bus: Bus) =>
    rewriteEvents(bus, (event) => (event.action === "stored" ? { ...event, [name]: value(event) } : event));
}

function withoutEvents(isMissing: (event: Message) => boolean) {
  return (bus: Bus) =>
    interceptEvents(bus, (event, _, send) => {
      if (!isMissing(event)) send(event);
    });
}

function withSubject(rewrite: (tokens: string[], event: Message) => string[]) {
  return (bus: Bus) =>
    interceptEvents(bus, (event, { subject }, send) =>
      send(event, rewrite(subject.split("."), event).join(".")),
    );
}

/** Adds fields of the stored entry to an event. */
function withEntry(add: (entry: Message) => Message) {
  return (bus: Bus) => {
    const stored = new Map<string, Message>();
    const remembering = rewriteRequests(bus, (request) => {
      const entries = Array.isArray(request.entries) ? (request.entries as Message[]) : [];
      for (const [index, entry] of entries.entries()) stored.set(`${request.id}/${index}`, entry);
      return request;
    });
    return rewriteEvents(remembering, (event) => ({
      ...event,
      ...add(stored.get(String(event.event_id)) ?? {}),
    }));
  };
}

/** Publishes additional events together with a reply. */
function eventsBeside(made: (reply: ReadReply) => readonly Partial<Message>[]) {
  return (bus: Bus) =>
    interceptReplies(bus, (reply, send) => {
      for (const event of made(reply)) publishEvent(bus, reply, event);
      send(reply);
    });
}

function publishEvent(bus: Bus, { request, asked }: ReadReply, fields: Partial<Message>): void {
  const [tenant, agent] = request.subject.split(".").slice(-5) as [string, string];
  const entry = (asked?.entries as Message[] | undefined)?.[0];
  const tier = (entry?.tier ?? asked?.tier ?? "working") as "working";
  const action = (fields.action ?? "stored") as "stored";
  const { namespace = "default" } = asked ?? {};
  const [id, at] = [randomUUID(), 1];
  const head = { type: "memory/event", id, version: "1.0", ts: at, action, tier, namespace };
  const event = { ...head, key_hash: "0".repeat(64), tags: [], revision: 1, author: agent, at, ...fields };
  bus.publish(eventSubject({ tenant, agent, tier, action }), encodeMessage(event, "json"));
}

function entriesOf({ asked }: ReadReply): readonly Message[] {
  return (asked?.entries ?? []) as Message[];
}

function listed(value: unknown): readonly Message[] {
  return Array.isArray(value) ? (value as Message[]) : [];
}

const storedMutants: readonly Mutant[] = [
  hostMutant({
    id: "events-namespace-dropped",
    defect: "the namespace of an event is always `default`",
    check: "events/stored-says-what-is-stored",
    names: /`namespace` of the `stored` event/,
    bus: withField("namespace", () => "default"),
  }),
  hostMutant({
    id: "events-tier-missing",
    defect: "only the subject of an event contains the tier",
    check: "events/stored-says-what-is-stored",
    names: /fields of the `stored` event .* got \["tier"\]/,
    bus: withField("tier", () => undefined),
  }),
  hostMutant({
    id: "events-group-missing",
    defect: "the event of an entry with a group does not name it",
    check: "events/stored-says-what-is-stored",
    names: /`group` of the `stored` event/,
    bus: withField("group", () => undefined),
  }),
  hostMutant({
    id: "events-author-is-source",
    defect: "the author of an event is the source of the entry",
    check: "events/stored-says-what-is-stored",
    names: /`author` of the `stored` event/,
    bus: withField("author", () => "user"),
  }),
  hostMutant({
    id: "events-milliseconds",
    defect: "the time of an event is in milliseconds",
    check: "events/stored-says-what-is-stored",
    names: /`at` of the `stored` event/,
    bus: withField("at", ({ at }) => Number(at) * 1_000),
  }),
  hostMutant({
    id: "events-hold-content",
    defect: "a `stored` event holds the content of its entry",
    check: "events/hold-no-content",
    names: /within its stored event/,
    bus: withEntry(({ content }) => ({ content })),
  }),
  hostMutant({
    id: "events-receipts-without-event-id",
    defect: "receipts do not name their events",
    check: "events/once-for-every-receipt",
    names: /`event_id` of the receipts/,
    bus: (bus) =>
      interceptReplies(bus, (reply, send) => {
        const receipts = listed(reply.message.receipts).map(({ event_id: _, ...receipt }) => receipt);
        const message = reply.message.receipts ? { ...reply.message, receipts } : reply.message;
        send({ ...reply, message });
      }),
  }),
  hostMutant({
    id: "events-again-for-a-retry",
    defect: "a store that is sent again under the same id publishes its events again",
    check: "events/none-for-a-repeated-request",
    names: /sent twice under one id/,
    bus(bus) {
      const published = new Map<string, Sent>();
      const remembering = interceptEvents(bus, (event, sent, send) => {
        if (event.event_id) published.set(String(event.event_id), sent);
        send(event);
      });
      const answered = new Set<string>();
      return interceptReplies(remembering, (reply, send) => {
        send(reply);
        const ids = listed(reply.message.receipts).map(({ event_id }) => String(event_id));
        for (const id of ids) {
          const sent = answered.has(id) ? published.get(id) : undefined;
          if (sent) bus.publish(sent.subject, sent.payload, sent.headers && { headers: sent.headers });
          answered.add(id);
        }
      });
    },
  }),
  hostMutant({
    id: "events-none-for-updates",
    defect: "only the first store of a key publishes an event",
    check: "events/stored-for-every-write",
    names: /`stored` events after two new entries and an update/,
    bus(bus) {
      const known = new Set<unknown>();
      return interceptEvents(bus, (event, _, send) => {
        const key = `${event.tier} ${event.namespace} ${event.key_hash}`;
        if (event.action !== "stored" || !known.has(key)) send(event);
        known.add(key);
      });
    },
  }),
  hostMutant({
    id: "events-of-unchanged",
    defect: "a store that changes nothing publishes an event",
    check: "events/none-for-unchanged",
    names: /revisions of the events after a new entry, the same store again/,
    bus: eventsBeside((reply) =>
      listed(reply.message.receipts)
        .filter(({ outcome }) => outcome === "unchanged")
        .map(({ index, revision }) => ({ key: entriesOf(reply)[Number(index)]?.key, revision })),
    ),
  }),
  hostMutant({
    id: "events-before-refusal",
    defect: "the events of a store are published before its entries are checked, also for refused ones",
    check: "events/none-for-refused-entries",
    names: /after a store that refused one of 2 entries/,
    bus: eventsBeside((reply) =>
      listed(reply.message.errors).map(({ index }) => ({ key: entriesOf(reply)[Number(index)]?.key })),
    ),
  }),
  hostMutant({
    id: "events-in-msgpack",
    defect: "events are in MessagePack",
    check: "events/in-json",
    names: /first byte of the event/,
    bus: (bus) =>
      interceptEvents(bus, (event, { subject }) => {
        const headers = { "Content-Type": "application/msgpack" };
        bus.publish(subject, encodeMessage(event, "msgpack"), { headers });
      }),
  }),
];

const removalMutants: readonly Mutant[] = [
  hostMutant({
    id: "events-one-for-a-forget",
    defect: "a forget publishes only one event",
    check: "events/forgotten-for-every-entry",
    names: /after a forget of 2 of 3 entries/,
    bus(bus) {
      const due = new Set<unknown>();
      const remembering = rewriteRequests(bus, (request) => {
        if (request.type === "memory/forget/req") due.add(request.namespace);
        return request;
      });
      return withoutEvents(({ action, namespace }) => action === "forgotten" && !due.delete(namespace))(
        remembering,
      );
    },
  }),
  hostMutant({
    id: "events-of-a-forget-to-256",
    defect: "at most 256 events are published at a time",
    check: "events/each-of-hundreds-forgotten",
    names: /`forgotten` events of a forget of 400 entries/,
    bus: (bus) => {
      let now = 0;
      return withoutEvents(({ action }) => {
        if (action !== "forgotten") return false;
        if (now === 0) setImmediate(() => (now = 0));
        return ++now > 256;
      })(bus);
    },
  }),
  hostMutant({
    id: "events-of-a-forget-each-twice",
    defect: "the events of a forget are published twice if there are more than a hundred",
    check: "events/each-of-hundreds-forgotten",
    names: /`forgotten` events of a forget of 400 entries/,
    bus: (bus) => {
      let count = 0;
      return interceptEvents(bus, (event, _, send) => {
        send(event);
        if (event.action === "forgotten" && ++count > 100) send(event);
      });
    },
  }),
  hostMutant({
    id: "events-of-a-forget-by-the-hundred",
    defect: "the events of a forget are queued in groups of 150, and the rest is never sent",
    check: "events/each-of-hundreds-forgotten",
    names: /`forgotten` events of a forget of 400 entries/,
    bus: (bus) => {
      const waiting: (() => void)[] = [];
      return interceptEvents(bus, (event, _, send) => {
        if (event.action !== "forgotten") return send(event);
        if (waiting.push(() => send(event)) === 150) for (const publish of waiting.splice(0)) publish();
      });
    },
  }),
  hostMutant({
    id: "events-of-a-dry-run",
    defect: "a forget with `dry_run` publishes `forgotten` events",
    check: "events/none-for-a-dry-run",
    names: /`forgotten` events after a dry run/,
    bus: eventsBeside((reply) =>
      reply.asked?.dry_run && reply.message.deleted
        ? ((reply.asked.keys ?? []) as unknown[]).map((key) => ({ action: "forgotten", key }))
        : [],
    ),
  }),
  hostMutant({
    id: "events-none-for-expired",
    defect: "expired entries have no event",
    check: "events/expired-for-every-entry-that-ends",
    names: /after an entry with ttl 1 expired/,
    bus: withoutEvents(({ action }) => action === "expired"),
  }),
  hostMutant({
    id: "events-agent-is-author",
    tier: "semantic",
    defect: "the agent token of every event is the author of the entry, even if another agent forgot it",
    check: "events/agent-who-acted",
    names: /subjects and authors of the events/,
    bus: withSubject((tokens, { author }) => tokens.with(-5, String(author))),
  }),
  hostMutant({
    id: "events-expired-by-the-host",
    tier: "semantic",
    defect: "the agent token of an `expired` event is the host's name",
    check: "events/agent-of-expired-is-the-author",
    names: /after an entry of the first agent expired/,
    bus: withSubject((tokens, { action }) => (action === "expired" ? tokens.with(-5, "membus") : tokens)),
  }),
  hostMutant({
    id: "events-expired-of-the-source",
    defect: "the agent token of an `expired` event is the `source` of the entry",
    check: OF_WRITERS,
    names: /subjects, keys and authors of the `expired` events/,
    plugins: {
      working: () =>
        new (class extends ReferencePlugin {
          protected override report(...[row, action, agent]: Parameters<ReferencePlugin["report"]>) {
            super.report(row, action, action === "expired" ? row.source : agent);
          }
        })(),
    },
  }),
  hostMutant({
    id: "events-expired-of-whoever-asked",
    defect: "the agent token of an `expired` event is the agent of the last request",
    check: OF_WRITERS,
    names: /subjects, keys and authors of the `expired` events/,
    bus: (bus) => {
      let last = "";
      const seeing = rewriteRequests(bus, (request, { subject }) => {
        if (String(request.type).startsWith("memory/")) last = subject.split(".").at(-4) ?? "";
        return request;
      });
      return withSubject((tokens, { action }) =>
        action === "expired" && last ? tokens.with(-5, last) : tokens,
      )(seeing);
    },
  }),
  hostMutant({
    id: "events-expired-of-who-came-first",
    tier: "semantic",
    defect: "the agent of an `expired` event is the creator of the entry instead of the last author",
    check: OF_WRITERS,
    names: /subjects, keys and authors of the `expired` events/,
    bus: (bus) => {
      const creators = new Map<unknown, string>();
      return withSubject((tokens, { action, key_hash }) => {
        if (!creators.has(key_hash)) creators.set(key_hash, tokens.at(-5)!);
        return action === "expired" ? tokens.with(-5, creators.get(key_hash)!) : tokens;
      })(bus);
    },
  }),
  hostMutant({
    id: "events-expired-once-for-all",
    defect: "entries that expire together are published as events of the agent of the first one",
    check: OF_WRITERS,
    names: /subjects, keys and authors of the `expired` events/,
    bus: (bus) => {
      let first: string | undefined;
      return withSubject((tokens, { action }) => {
        if (action !== "expired") return tokens;
        first ??= tokens.at(-5);
        return tokens.with(-5, first!);
      })(bus);
    },
  }),
  hostMutant({
    id: "events-of-escaped-names-in-lower-case",
    defect: "the agent token of an event is in lower case if it is an escaped name",
    check: "events/of-agents-of-like-names",
    names: /subjects, keys and authors of the events/,
    bus: withSubject((tokens) => {
      const token = tokens.at(-5) ?? "";
      return token.startsWith("=") ? tokens.with(-5, token.toLowerCase()) : tokens;
    }),
  }),
];

export const eventsMutants: readonly Mutant[] = [...storedMutants, ...removalMutants];
