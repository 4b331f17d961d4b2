import {
  CONTENT_TYPE_HEADER,
  CONTENT_TYPES,
  delay,
  encodeMessage,
  type Message,
  systemClock,
} from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import {
  accepted,
  type Operation,
  oneOfEach,
  operationsOf,
  recordOf,
  request,
} from "../../fixtures/bare-messages.js";
import { PATIENCE_MS } from "../../fixtures/patience.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { parseJson } from "../../host-route/parse-json.js";

/** Long enough for a second reply to arrive. */
const SETTLE_MS = 300;
const STEP_MS = 20;

/** Sends each message with a separate reply subject and returns the types of the replies. */
async function typesOfReplies(
  t: HostContext,
  messages: readonly (readonly [Operation, Uint8Array])[],
): Promise<readonly (readonly unknown[])[]> {
  const inbox = `${t.bus.inboxPrefix}.conformance-${t.random.hex(12)}`;
  const types = messages.map((): unknown[] => []);
  const subscription = t.bus.subscribe(`${inbox}.*`, ({ subject, payload }) => {
    types[Number(subject.slice(inbox.length + 1))]?.push(recordOf(parseJson(payload)).type);
  });
  await t.bus.flush();
  const headers = { [CONTENT_TYPE_HEADER]: CONTENT_TYPES.json };
  for (const [at, [operation, bytes]] of messages.entries()) {
    t.bus.publish(t.subject(operation), bytes, { reply: `${inbox}.${at}`, headers });
  }
  const until = systemClock.now() + PATIENCE_MS / 1_000;
  while (types.some(({ length }) => length === 0) && systemClock.now() < until)
    await delay(systemClock, STEP_MS);
  await delay(systemClock, SETTLE_MS);
  await subscription.drain();
  return types;
}

function bytesOf(message: Readonly<Message>): Uint8Array {
  return encodeMessage(message, "json");
}

export const errorsOfRepliesChecks: readonly Check[] = [
  hostCheck({
    id: "errors/one-reply-to-each-request",
    clauses: ["ERR-10"],
    async run(t) {
      const id = newRequestId();
      await t.caller.store(t.entry(), { id });
      const bodies = oneOfEach(t, id);
      const messages = operationsOf(t).flatMap((operation) =>
        Array.from({ length: 4 }, () => [operation, request(t, operation, bodies[operation])] as const),
      );
      const types = await typesOfReplies(
        t,
        messages.map(([operation, message]) => [operation, bytesOf(message)]),
      );
      for (const [at, [operation]] of messages.entries()) {
        const expected = operation === "ping" ? "pong" : `memory/${operation}/resp`;
        t.expect.equal(
          types[at],
          [expected],
          `types of the replies to a ${operation}, on a separate reply subject`,
        );
      }
    },
  }),
  hostCheck({
    id: "errors/one-reply-to-each-broken-message",
    clauses: ["ERR-10"],
    async run(t) {
      const messages: (readonly [Operation, string])[] = [
        ["ping", ""],
        ["ping", "hello"],
        ["ping", "[]"],
        ["ping", "{}"],
        ["store", '{"type":"memory/store/req"}'],
        ["store", '{"type":"ping"}'],
        ["retrieve", '{"type":"memory/retrieve/req","limit":-1}'],
        ["forget", '{"type":"memory/forget/req","keys":[]}'],
        ["status", '{"type":"memory/status/req","request_id":"conformance-of-nobody"}'],
        ["ping", '{"type":"ping","version":"2.0"}'],
        ["ping", '{"type":"ping","requires":["conformance_time_travel"]}'],
        ["ping", `{"type":"ping","x_deep":${"[".repeat(2_000)}${"]".repeat(2_000)}}`],
      ];
      const types = await typesOfReplies(
        t,
        messages.map(([operation, text]) => [operation, Buffer.from(text)]),
      );
      for (const [at, [operation, text]] of messages.entries()) {
        const what = `types of the replies to ${text.slice(0, 80) || "no bytes"} on the subject of a ${operation}`;
        t.expect.equal(types[at], ["error"], what);
      }
      await accepted(t, "a ping after all these messages", "ping", request(t, "ping"));
    },
  }),
];
