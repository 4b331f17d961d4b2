import { ERROR_CATALOGUE, encodeMessage, type Message } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import {
  accepted,
  answer,
  entryAccepted,
  forEachOf,
  type Operation,
  request,
} from "../../fixtures/bare-messages.js";
import type { Random } from "../../fixtures/random.js";

const MESSAGES = 200;

/** Bytes with a meaning in one of the encodings. */
const MEANINGFUL = [
  0x00, 0x22, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d, 0x5c, 0x80, 0xc1, 0xc4, 0xca, 0xd9, 0xdf, 0xff,
];

/**
 * Returns valid requests as seeds. After any mutation they affect only an unused agent in its tier and
 * namespace, and forget nothing.
 */
function seeds(t: HostContext): readonly (readonly [Operation, Message])[] {
  const entry = t.entry({
    tags: ["fuzz", "ünïcode"],
    ttl: 60,
    metadata: { lang: "en", turn: 14 },
    group: "g",
    content: { text: "green tea", n: [1, -2.5, null, true] },
  });
  const where = {
    any: [
      { field: "tags", op: "eq", value: "fuzz" },
      { not: { field: "importance", op: "gte", value: 0.5 } },
    ],
  };
  return [
    ["store", request(t, "store", { entries: [entry], session_id: "fuzz", ts: 1_753_776_000.25 })],
    [
      "retrieve",
      request(t, "retrieve", { tier: t.tier, query: "green tea", limit: 5, where, match: { entry: 1 } }),
    ],
    ["forget", request(t, "forget", { tier: t.tier, tags: ["fuzz"], dry_run: true, since: 1, until: 2 })],
    ["status", request(t, "status", { request_id: "fuzz", deadline_ms: 2_000 })],
    ["ping", request(t, "ping", { version: "1.0", x_own: { a: [1, "b"] } })],
  ];
}

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const position = (bytes: Buffer, random: Random) => random.integer(0, Math.max(0, bytes.length - 1));

const MUTATIONS: readonly Mutation[] = [
  function flipBit(bytes, random) {
    const at = position(bytes, random);
    const changed = Buffer.from(bytes);
    changed[at] = changed[at]! ^ (1 << random.integer(0, 7));
    return changed;
  },
  function setByte(bytes, random) {
    const changed = Buffer.from(bytes);
    changed[position(bytes, random)] = MEANINGFUL[random.integer(0, MEANINGFUL.length - 1)]!;
    return changed;
  },
  function insertByte(bytes, random) {
    const at = position(bytes, random);
    const byte = MEANINGFUL[random.integer(0, MEANINGFUL.length - 1)]!;
    return Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at)]);
  },
  function removeBytes(bytes, random) {
    const at = position(bytes, random);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.integer(1, 4))]);
  },
  function repeatBytes(bytes, random) {
    const at = position(bytes, random);
    const part = bytes.subarray(at, at + random.integer(1, 20));
    return Buffer.concat([bytes.subarray(0, at), part, part, bytes.subarray(at)]);
  },
  function cutOff(bytes, random) {
    return bytes.subarray(0, position(bytes, random));
  },
];

interface Mutated {
  readonly what: string;
  readonly operation: Operation;
  readonly bytes: Buffer;
  readonly contentType: string | null;
}

/** Returns a request with one to three mutations, with or without a Content-Type. */
function mutated(t: HostContext): Mutated {
  const { random } = t;
  const all = seeds(t);
  const [operation, message] = all[random.integer(0, all.length - 1)]!;
  const encoding = random.integer(0, 1) === 0 ? "json" : "msgpack";
  let bytes: Buffer = Buffer.from(encodeMessage(message, encoding));
  for (let left = random.integer(1, 3); left > 0; left--) {
    bytes = MUTATIONS[random.integer(0, MUTATIONS.length - 1)]!(bytes, random);
  }
  const contentType = random.integer(0, 2) === 0 ? null : `application/${encoding}`;
  const what = `a ${operation} with bytes changed (base64 ${bytes.toString("base64")}, Content-Type ${contentType})`;
  return { what, operation, bytes, contentType };
}

function expectWellFormed(t: HostContext, message: Message, operation: Operation, what: string): void {
  const isAnswer = message.type === (operation === "ping" ? "pong" : `memory/${operation}/resp`);
  const isError = message.type === "error" && Object.hasOwn(ERROR_CATALOGUE, String(message.code));
  t.expect.holds(
    isAnswer || isError,
    `the reply to ${what}`,
    message,
    "the operation's, or an error of the catalogue",
  );
  t.expect.notEqual(message.code, "runtime_error", `code of the reply to ${what}`);
}

export const hostileFuzzChecks: readonly Check[] = [
  hostCheck({
    id: "hostile/mutated-messages-are-answered",
    clauses: ["ERR-10", "ERR-2", "ERR-3"],
    async run(t) {
      const agent = `conformance-fuzz-${t.random.hex(12)}`;
      const messages = Array.from({ length: MESSAGES }, () => mutated(t));
      await forEachOf(messages, async ({ what, operation, bytes, contentType }) => {
        const { message } = await answer(t, what, operation, bytes, { agent, contentType });
        expectWellFormed(t, message, operation, what);
      });
      await accepted(t, `a ping after ${MESSAGES} mutated messages`, "ping", request(t, "ping"));
      const sent = request(t, "store", { entries: [t.entry()] });
      await entryAccepted(t, `an ordinary entry after ${MESSAGES} mutated messages`, sent);
      for (const session_id of ["", "fuzz"]) {
        const forget = request(t, "forget", { tier: t.tier, all: true, session_id });
        await accepted(t, "a forget of the entries of the mutated messages", "forget", forget, { agent });
      }
    },
  }),
];
