import { type Check, hostCheck } from "../../catalogue/check.js";
import {
  accepted,
  answer,
  oneOfEach,
  operationsOf,
  recordOf,
  refused,
  request,
} from "../../fixtures/bare-messages.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { deadlineChecks } from "./deadlines.js";
import { envelopeFieldChecks } from "./envelope-fields.js";
import { envelopeGoldenChecks } from "./envelope-golden.js";
import { envelopeIdChecks } from "./envelope-ids.js";

const REPLY_TYPE = /^(memory\/(store|retrieve|forget|status)\/resp|pong)$/;
const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

const replyChecks: readonly Check[] = [
  hostCheck({
    id: "envelope/replies-are-flat-objects-with-a-type",
    clauses: ["ENV-1"],
    async run(t) {
      const id = newRequestId();
      await t.caller.store(t.entry(), { id });
      const bodies = oneOfEach(t, id);
      for (const operation of operationsOf(t)) {
        const message = await accepted(
          t,
          `an ordinary ${operation}`,
          operation,
          request(t, operation, bodies[operation]),
        );
        t.expect.holds(
          REPLY_TYPE.test(String(message.type)),
          `type of the reply to a ${operation}`,
          message.type,
        );
        const misnamed = Object.keys(message).filter((name) => !SNAKE_CASE.test(name));
        t.expect.equal(misnamed, [], `fields of the reply to a ${operation} that are not in snake_case`);
      }
    },
  }),
  hostCheck({
    id: "envelope/replies-carry-id-version-and-time",
    clauses: ["ENV-13"],
    async run(t) {
      const ids = new Set<unknown>();
      const sent = [
        ...operationsOf(t).map((operation) => [operation, oneOfEach(t)[operation]] as const),
        ["ping", { unknown_field: 1 }] as const,
      ];
      for (const [operation, body] of sent) {
        const asked = request(t, operation, body);
        const what = `a ${operation} with the fields ${Object.keys(asked).join(", ")}`;
        const { message } = await answer(t, what, operation, asked);
        t.expect.holds(
          typeof message.id === "string" && message.id !== "",
          `id of the reply to ${what}`,
          message.id,
        );
        t.expect.notEqual(
          message.id,
          asked.id,
          `id of the reply to ${what}, in addition to the id of its request`,
        );
        t.expect.holds(
          /^1\.\d+$/.test(String(message.version)),
          `version of the reply to ${what}`,
          message,
          "1.x",
        );
        t.expect.holds(typeof message.ts === "number", `ts of the reply to ${what}`, message.ts, "a number");
        ids.add(message.id);
      }
      t.expect.equal(ids.size, sent.length, `different ids among ${sent.length} replies`);
    },
  }),
  hostCheck({
    id: "envelope/req-id-is-the-id-of-the-request",
    clauses: ["ENV-13"],
    async run(t) {
      const bodies = oneOfEach(t);
      const asked = [...operationsOf(t), ...operationsOf(t)].map((operation) => {
        return { operation, sent: request(t, operation, bodies[operation]) };
      });
      const replies = await Promise.all(
        asked.map(({ operation, sent }) => answer(t, `one of ten requests at once`, operation, sent)),
      );
      t.expect.equal(
        replies.map(({ message }) => message.req_id),
        asked.map(({ sent }) => sent.id),
        "req_id of the replies to ten requests that were sent at once, in their order",
      );
    },
  }),
  hostCheck({
    id: "envelope/times-are-unix-seconds-with-fractions",
    clauses: ["ENV-9"],
    async run(t) {
      const times: unknown[] = [];
      for (let count = 0; count < 5; count++) {
        const pong = await accepted(t, "a ping", "ping", request(t, "ping"));
        t.expect.near(pong.ts, t.now(), 86_400, "ts of a pong, in Unix seconds");
        times.push(pong.ts);
      }
      t.expect.holds(
        times.some((ts) => !Number.isInteger(ts)),
        "ts of five pongs",
        times,
        "one with a fraction",
      );
      await accepted(t, "a store", "store", request(t, "store", { entries: [t.entry()] }));
      const { entries } = await t.caller.retrieve();
      const { created } = recordOf(entries[0]?.timestamps);
      t.expect.near(
        created,
        t.now(),
        86_400,
        "timestamps.created of an entry stored just now, in Unix seconds",
      );
    },
  }),
];

const TYPE_CASES: readonly (readonly [what: string, text: string])[] = [
  ["a message without a type", '{"id":"typeless"}'],
  ["a message with a number as type", '{"type":1}'],
  ["a message with an object as type", '{"type":{"memory":"ping"}}'],
  ["a message of a type that does not exist", '{"type":"memory/pong/req"}'],
  ["a message with the type of a reply", '{"type":"pong"}'],
  ["a message with a type in another case", '{"type":"Ping"}'],
];

const NO_OBJECTS: readonly (readonly [what: string, bytes: readonly number[]])[] = [
  ["a list in JSON", [...Buffer.from('[{"type":"ping"}]')]],
  ["a string in JSON", [...Buffer.from('"ping"')]],
  ["a number in JSON", [0x37]],
  ["null in JSON", [...Buffer.from("null")]],
];

const PACKED_NO_OBJECTS: readonly (readonly [what: string, bytes: readonly number[]])[] = [
  ["a list in MessagePack", [0x91, 0x81, 0xa4, ...Buffer.from("type"), 0xa4, ...Buffer.from("ping")]],
  ["nil in MessagePack", [0xc0]],
  ["a string in MessagePack", [0xa4, ...Buffer.from("ping")]],
];

const typeChecks: readonly Check[] = [
  hostCheck({
    id: "envelope/a-message-is-an-object",
    clauses: ["ENV-1"],
    async run(t) {
      const both = [
        ...NO_OBJECTS.map((one) => [...one, "application/json"] as const),
        ...PACKED_NO_OBJECTS.map((one) => [...one, "application/msgpack"] as const),
      ];
      for (const [what, bytes, contentType] of both) {
        const { req_id } = await refused(t, what, "ping", Uint8Array.from(bytes), "invalid_message", {
          contentType,
        });
        t.expect.equal(req_id, null, `req_id of the error to ${what}`);
      }
      await accepted(t, "an ordinary ping", "ping", request(t, "ping"));
    },
  }),
  hostCheck({
    id: "envelope/type-is-a-known-string",
    clauses: ["ENV-1", "ENV-2"],
    async run(t) {
      for (const [what, text] of TYPE_CASES) {
        await refused(t, `${what}: ${text}, on the subject of a ping`, "ping", text, "invalid_message");
      }
      await accepted(t, "an ordinary ping", "ping", request(t, "ping"));
    },
  }),
  hostCheck({
    id: "envelope/type-agrees-with-the-subject",
    clauses: ["ENV-2"],
    async run(t) {
      const kept = t.entry();
      await t.caller.store(kept);
      const bodies = {
        ...oneOfEach(t),
        forget: { tier: t.tier, all: true },
        store: { entries: [t.entry()] },
      };
      for (const named of operationsOf(t)) {
        for (const subject of operationsOf(t).filter((operation) => operation !== named)) {
          const what = `a ${named} on the subject of a ${subject}`;
          await refused(t, what, subject, request(t, named, bodies[named]), "invalid_message");
        }
      }
      const { entries } = await t.caller.retrieve();
      t.expect.equal(
        entries.map(({ key }) => key),
        [kept.key],
        "keys of all entries, after stores and forgets on subjects of other operations",
      );
    },
  }),
];

export const envelopeChecks: readonly Check[] = [
  ...replyChecks,
  ...typeChecks,
  ...envelopeIdChecks,
  ...envelopeFieldChecks,
  ...deadlineChecks,
  ...envelopeGoldenChecks,
];
