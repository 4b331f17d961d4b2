import { systemClock } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
import {
  accepted,
  answer,
  listOf,
  type Operation,
  oneOfEach,
  operationsOf,
  refused,
  request,
} from "../../fixtures/bare-messages.js";
import { newRequestId } from "../../fixtures/request-id.js";

/** Misspellings of known fields, by operation. */
const MISTYPED: readonly (readonly [Operation, given: object, known: string])[] = [
  ["retrieve", { tag: ["a"] }, "tags"],
  ["retrieve", { min_scor: 0.5 }, "min_score"],
  ["forget", { dryrun: true }, "dry_run"],
  ["store", { acks: "stored" }, "ack"],
  ["status", { request_ids: "a" }, "request_id"],
  ["ping", { deadline_m: 5 }, "deadline_ms"],
];

const NOT_GIVEN = {
  match: null,
  tags_mode: null,
  since: null,
  until: null,
  where: null,
  query: null,
  order: null,
  limit: null,
  min_score: null,
  cursor: null,
  mode: null,
  include: null,
  session_id: null,
  deadline_ms: null,
  requires: null,
  version: null,
  ts: null,
};

const unknownFieldChecks: readonly Check[] = [
  hostCheck({
    id: "envelope/unknown-field-refused",
    clauses: ["ENV-5", "ERR-4"],
    async run(t) {
      const kept = t.entry();
      await t.caller.store(kept);
      const bodies = { ...oneOfEach(t), forget: { tier: t.tier, all: true } };
      for (const operation of operationsOf(t)) {
        for (const value of [1, "text", false, {}]) {
          const sent = request(t, operation, { ...bodies[operation], colour_of_it: value });
          const what = `a ${operation} with the unknown field colour_of_it: ${JSON.stringify(value)}`;
          const { detail, req_id } = await refused(t, what, operation, sent, "schema_violation");
          t.expect.equal(detail.path, "colour_of_it", `detail.path of the error to ${what}`);
          t.expect.equal(req_id, sent.id, `req_id of the error to ${what}`);
        }
      }
      const { entries } = await t.caller.retrieve();
      const keys = entries.map(({ key }) => key);
      t.expect.equal(keys, [kept.key], "keys of all entries, after stores and forgets with an unknown field");
    },
  }),
  hostCheck({
    id: "envelope/unknown-field-names-the-nearest",
    clauses: ["ENV-5"],
    async run(t) {
      const bodies = oneOfEach(t);
      for (const [operation, given, known] of MISTYPED) {
        const what = `a ${operation} with ${JSON.stringify(given)}`;
        const sent = request(t, operation, { ...bodies[operation], ...given });
        const { message } = await refused(t, what, operation, sent, "schema_violation");
        const names = new RegExp(`(?<![a-z_])${known}(?![a-z_])`).test(String(message));
        t.expect.holds(names, `message of the error to ${what}`, message, `it to name \`${known}\``);
      }
    },
  }),
  hostCheck({
    id: "envelope/x-fields-are-ignored",
    clauses: ["ENV-6"],
    async run(t) {
      const own = {
        x_trace: "00-ab-cd-01",
        x_: null,
        x_limit: 0,
        "x_Any-Case.9": { deep: [1, { a: null }] },
      };
      const id = newRequestId();
      await t.caller.store(t.entry(), { id });
      const bodies = oneOfEach(t, id);
      for (const operation of operationsOf(t)) {
        const sent = request(t, operation, { ...own, ...bodies[operation] });
        await accepted(t, `a ${operation} with ${Object.keys(own).join(", ")}`, operation, sent);
      }
      const sent = request(t, "retrieve", { tier: t.tier, x_limit: 0, x_tags: ["of-nothing"] });
      const { entries } = await accepted(t, "a retrieve with x_limit and x_tags", "retrieve", sent);
      t.expect.equal(
        listOf(entries).length,
        2,
        "entries of a retrieve with x_limit: 0 and x_tags, of two stored",
      );
    },
  }),
];

const absentFieldChecks: readonly Check[] = [
  hostTierCheck({
    id: "envelope/null-is-not-given",
    clauses: ["ENV-4"],
    async run(t) {
      const entry = t.entry({ tags: ["kept"] });
      const nulls = {
        id: null,
        version: null,
        ts: null,
        session_id: null,
        deadline_ms: null,
        requires: null,
      };
      const stored = request(t, "store", { ...nulls, ack: null, entries: [entry] });
      const { errors } = await accepted(
        t,
        "a store with null for every field it may leave out",
        "store",
        stored,
      );
      t.expect.equal(errors, [], "errors of a store with null for every field it may leave out");
      const criteria = { ...NOT_GIVEN, keys: null, tags: null, group: null };
      const asked = request(t, "retrieve", { ...criteria, tier: t.tier });
      const what = "a retrieve with null for every field but tier and namespace";
      const { entries } = await accepted(t, what, "retrieve", asked);
      t.expect.equal(
        listOf(entries).map(({ key }) => key),
        [entry.key],
        `keys found by ${what}, of one entry stored`,
      );
      const all = {
        dry_run: null,
        keys: null,
        match: null,
        where: null,
        group: null,
        since: null,
        all: null,
      };
      const forget = request(t, "forget", { ...all, tags: ["kept"], tier: t.tier });
      const { deleted } = await accepted(t, "a forget with null for all unused fields", "forget", forget);
      t.expect.equal(deleted, 1, "deleted of a forget by its tag, with null for all other fields");
    },
  }),
  hostTierCheck({
    id: "envelope/empty-is-not-given",
    clauses: ["ENV-4"],
    async run(t) {
      const entries = [t.entry({ tags: ["kept"] }), t.entry()];
      const stored = request(t, "store", { session_id: "", ack: "", requires: [], entries });
      const { errors } = await accepted(
        t,
        'a store with session_id "", ack "", requires []',
        "store",
        stored,
      );
      t.expect.equal(errors, [], 'errors of a store with session_id "", ack "", requires []');
      const criteria = {
        keys: [],
        tags: [],
        group: "",
        query: "",
        cursor: "",
        include: [],
        where: "",
        order: "",
      };
      const asked = request(t, "retrieve", { ...criteria, requires: [], session_id: "", tier: t.tier });
      const found = await accepted(t, 'a retrieve with "" and [] for criteria', "retrieve", asked);
      t.expect.sameMembers(
        listOf(found.entries).map(({ key }) => key),
        entries.map(({ key }) => key),
        `keys found by a retrieve with ${JSON.stringify(criteria)}, of two entries stored`,
      );
      t.expect.equal(found.total, 2, 'total of a retrieve with "" and [] for criteria, of two entries');
    },
  }),
];

const OFFER_CASES = [
  ["conformance_time_travel"],
  ["conformance_time_travel", "conformance_teleport"],
  ["toString"],
];

const demandChecks: readonly Check[] = [
  hostCheck({
    id: "envelope/requires-of-an-unknown-feature-refused",
    clauses: ["ENV-12"],
    async run(t) {
      const kept = t.entry();
      await t.caller.store(kept);
      const bodies = { ...oneOfEach(t), forget: { tier: t.tier, all: true } };
      for (const requires of OFFER_CASES) {
        for (const operation of operationsOf(t)) {
          const what = `a ${operation} that requires ${requires.join(" and ")}`;
          const sent = request(t, operation, { ...bodies[operation], requires });
          await refused(t, what, operation, sent, "unsupported");
        }
      }
      const keys = (await t.caller.retrieve()).entries.map(({ key }) => key);
      t.expect.equal(
        keys,
        [kept.key],
        "keys of all entries, after stores and forgets that require the unknown",
      );
    },
  }),
  hostTierCheck({
    id: "envelope/requires-of-declared-features-accepted",
    clauses: ["ENV-12"],
    async run(t) {
      const declared = Object.entries(t.features).flatMap(([name, offered]) => (offered ? [name] : []));
      const entry = t.entry();
      const what = `a store that requires what the ${t.tier} tier declares: ${declared.join(", ")}`;
      const sent = request(t, "store", { entries: [entry], requires: declared });
      const { errors } = await accepted(t, what, "store", sent);
      t.expect.equal(errors, [], `errors of ${what}`);
      const asked = request(t, "retrieve", { tier: t.tier, requires: declared });
      const { total } = await accepted(
        t,
        `a retrieve that requires ${declared.join(", ")}`,
        "retrieve",
        asked,
      );
      t.expect.equal(total, 1, "total of a retrieve that requires declared features, of one entry");
    },
  }),
];

const timeChecks: readonly Check[] = [
  hostTierCheck({
    id: "envelope/ttl-is-in-seconds",
    clauses: ["ENV-9"],
    features: ["ttl"],
    async run(t) {
      await t.caller.store(t.entry({ ttl: 5_000.5 }));
      const [entry] = (await t.caller.retrieve()).entries;
      const life = Number(entry?.expires_at) - Number(entry?.timestamps.updated);
      t.expect.near(life, 5_000.5, 1, "seconds from storing an entry of ttl 5000.5 to its expires_at");
      t.expect.near(entry?.ttl, 5_000.5, 1, "ttl of an entry stored with 5000.5");
    },
  }),
  hostCheck({
    id: "envelope/deadline-range",
    clauses: ["ENV-11", "LIMIT-6"],
    async run(t) {
      for (const deadline_ms of [0, -1, 0.5, 600_001, "1000", true]) {
        const sent = request(t, "store", { entries: [t.entry()], deadline_ms });
        const what = `a store with deadline_ms ${JSON.stringify(deadline_ms)}`;
        const { detail } = await refused(t, what, "store", sent, "schema_violation");
        t.expect.equal(detail.path, "deadline_ms", `detail.path of the error to ${what}`);
      }
      t.expect.equal((await t.caller.retrieve()).entries, [], "entries after stores with refused deadlines");
      const ping = (deadline_ms: number) => request(t, "ping", { deadline_ms });
      for (const deadline_ms of [600_000, 100_000])
        await accepted(t, `a ping with deadline_ms ${deadline_ms}`, "ping", ping(deadline_ms));
      for (const deadline_ms of [5_000, 1_000]) {
        const what = `a ping with deadline_ms ${deadline_ms}`;
        const { message } = await answer(t, what, "ping", ping(deadline_ms));
        // A busy machine may exceed the deadline.
        t.expect.equal(message.code ?? "timeout", "timeout", `code of the reply to ${what}`);
      }
    },
  }),
  hostCheck({
    id: "envelope/timeout-after-the-deadline",
    clauses: ["ENV-11"],
    async run(t) {
      const LATE_MS = 2_000;
      const entries = Array.from({ length: 200 }, (_, at) =>
        t.entry({ content: `late ${at} ${"word ".repeat(40)}` }),
      );
      const sentAt = systemClock.now();
      const sent = request(t, "store", { entries, deadline_ms: 1 });
      const { message } = await answer(t, "a store of 200 entries with deadline_ms 1", "store", sent);
      const tookMs = (systemClock.now() - sentAt) * 1_000;
      t.expect.holds(
        message.code === "timeout" || tookMs < LATE_MS,
        `the reply to a store of 200 entries with deadline_ms 1, ${Math.round(tookMs)} ms after it was sent`,
        { type: message.type, code: message.code },
        `an error timeout, or a reply within ${LATE_MS} ms`,
      );
      t.expect.holds(
        listOf(message.receipts).length === 200 || message.code === "timeout",
        "the reply to a store of 200 entries with deadline_ms 1",
        message,
        "200 receipts or an error timeout",
      );
    },
  }),
];

export const envelopeFieldChecks: readonly Check[] = [
  ...unknownFieldChecks,
  ...absentFieldChecks,
  ...demandChecks,
  ...timeChecks,
];
