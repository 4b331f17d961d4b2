import { encodeMessage, type Message } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext, WireReply } from "../../context.js";
import {
  accepted,
  answer,
  forEachOf,
  oneOfEach,
  operationsOf,
  refused,
  request,
  storedEntries,
} from "../../fixtures/bare-messages.js";
import { packedString, RAW, rawJson, rawPack } from "../../fixtures/raw-values.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { encodingValueChecks } from "./encoding-values.js";
import { encodingVectorChecks } from "./encoding-vectors.js";

const ENCODINGS = ["json", "msgpack"] as const;

const ARTICLE = { json: "JSON", msgpack: "MessagePack" } as const;

/** Expects the bytes and the header of a reply to have the encoding. */
function expectEncoding(t: HostContext, reply: WireReply, encoding: "json" | "msgpack", what: string): void {
  const first = reply.bytes[0] ?? 0;
  const isMap = (first >= 0x80 && first <= 0x8f) || first === 0xde || first === 0xdf;
  t.expect.equal(isMap ? "msgpack" : "json", encoding, `encoding of the bytes of the reply to ${what}`);
  const type = reply.headers["Content-Type"];
  t.expect.equal(type, `application/${encoding}`, `header Content-Type of the reply to ${what}`);
}

/**
 * Replaces the map header of a message with one of another width. The first byte 0x80 to 0x8f holds the
 * count.
 */
function withMapHead(packed: Uint8Array, head: readonly number[]): Uint8Array {
  return Buffer.from([...head, packed[0]! & 0x0f, ...packed.subarray(1)]);
}

const choiceChecks: readonly Check[] = [
  hostCheck({
    id: "encoding/content-type-decides",
    clauses: ["ENC-1"],
    async run(t) {
      const sent = request(t, "ping");
      for (const [bytes, named] of [
        ["json", "msgpack"],
        ["msgpack", "json"],
      ] as const) {
        const what = `a ping in ${ARTICLE[bytes]} under the header Content-Type: application/${named}`;
        const contentType = `application/${named}`;
        const reply = await answer(t, what, "ping", encodeMessage(sent, bytes), { contentType });
        t.expect.equal(reply.message.code, "parse_error", `code of the reply to ${what}`);
        expectEncoding(t, reply, named, what);
      }
      for (const encoding of ENCODINGS) {
        const what = `a ping in ${ARTICLE[encoding]} under its own Content-Type`;
        const reply = await answer(t, what, "ping", request(t, "ping"), { encoding });
        t.expect.equal(reply.message.type, "pong", `type of the reply to ${what}`);
      }
    },
  }),
  hostCheck({
    id: "encoding/first-byte-decides-without-a-header",
    clauses: ["ENC-2"],
    async run(t) {
      const packed = encodeMessage(request(t, "ping"), "msgpack");
      const cases = [
        ["json", "JSON", encodeMessage(request(t, "ping"), "json")],
        [
          "json",
          "JSON that begins with a line end",
          Buffer.from(`\r\n ${JSON.stringify(request(t, "ping"))}`),
        ],
        ["msgpack", "a MessagePack map of few fields (0x82)", packed],
        ["msgpack", "a MessagePack map16 (0xde)", withMapHead(packed, [0xde, 0])],
        ["msgpack", "a MessagePack map32 (0xdf)", withMapHead(packed, [0xdf, 0, 0, 0])],
      ] as const;
      for (const [encoding, name, bytes] of cases) {
        for (const contentType of [null, "text/plain"]) {
          const what = `a ping as ${name}, Content-Type ${contentType}`;
          const reply = await answer(t, what, "ping", bytes, { contentType });
          t.expect.equal(reply.message.type, "pong", `type of the reply to ${what}`);
          expectEncoding(t, reply, encoding, what);
        }
      }
    },
  }),
  hostCheck({
    id: "encoding/reply-is-in-the-encoding-of-the-request",
    clauses: ["ENC-3"],
    async run(t) {
      const id = newRequestId();
      await t.caller.store(t.entry(), { id });
      for (const encoding of ENCODINGS) {
        for (const operation of operationsOf(t)) {
          const what = `a ${operation} in ${ARTICLE[encoding]}`;
          const sent = request(t, operation, oneOfEach(t, id)[operation]);
          const reply = await answer(t, what, operation, sent, { encoding });
          t.expect.equal(reply.message.req_id, sent.id, `req_id of the reply to ${what}`);
          expectEncoding(t, reply, encoding, what);
        }
      }
    },
  }),
  hostCheck({
    id: "encoding/error-is-in-the-encoding-of-the-request",
    clauses: ["ENC-3"],
    async run(t) {
      const broken: readonly Message[] = [
        { type: "ping", unknown_field: 1 },
        { type: "memory/store/req" },
        { type: "ping", version: "9.0" },
        { type: "ping", requires: ["conformance_time_travel"] },
        { type: "ping", id: 5 },
      ];
      for (const encoding of ENCODINGS) {
        for (const sent of broken) {
          const what = `${JSON.stringify(sent)} in ${ARTICLE[encoding]} on the subject of a ping`;
          const reply = await answer(t, what, "ping", sent, { encoding });
          t.expect.equal(reply.message.type, "error", `type of the reply to ${what}`);
          expectEncoding(t, reply, encoding, what);
        }
        const what = `bytes that cannot be parsed under Content-Type: application/${encoding}`;
        const contentType = `application/${encoding}`;
        const reply = await answer(t, what, "ping", Uint8Array.of(0xc1, 0x00), { contentType });
        expectEncoding(t, reply, encoding, what);
      }
    },
  }),
];

const BROKEN_JSON: readonly (readonly [what: string, bytes: Uint8Array])[] = [
  ["an empty message", Buffer.from("")],
  ["text that is no JSON", Buffer.from("hello")],
  ["JSON without its end", Buffer.from('{"type":"ping"')],
  ["two objects in a row", Buffer.from('{"type":"ping"}{"type":"ping"}')],
  ["JSON with a comma too many", Buffer.from('{"type":"ping",}')],
  ["JSON in single quotes", Buffer.from("{'type':'ping'}")],
  ["JSON with a comment", Buffer.from('{"type":"ping"/* now */}')],
  ["JSON with a bare name", Buffer.from('{type:"ping"}')],
  ["JSON with a raw line end in a string", Buffer.from('{"type":"ping","id":"a\nb"}')],
  ["JSON with a number that begins with 0", Buffer.from('{"type":"ping","ts":01}')],
  ["JSON after a byte order mark", Buffer.from('\ufeff{"type":"ping"}')],
  ["JSON in UTF-16", Buffer.from('{"type":"ping"}', "utf16le")],
  ["JSON in Latin-1", Buffer.from('{"type":"ping","id":"zoë"}', "latin1")],
  ["JSON with an unpaired surrogate in UTF-8", Buffer.from('{"type":"ping","id":"\xed\xa0\x80"}', "latin1")],
  ["JSON with an overlong encoding of a slash", Buffer.from('{"type":"ping","id":"\xc0\xaf"}', "latin1")],
];

const BAD_STRINGS: readonly (readonly [what: string, bytes: readonly number[]])[] = [
  ["a lone continuation byte", [0x61, 0x80]],
  ["a character cut off", [0xc3, 0x28]],
  ["an overlong encoding", [0xc0, 0xaf]],
  ["an unpaired surrogate", [0xed, 0xa0, 0x80]],
  ["a code point beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
];

const malformedChecks: readonly Check[] = [
  hostCheck({
    id: "encoding/malformed-json-refused",
    clauses: ["ENC-4", "ERR-5"],
    async run(t) {
      for (const [what, bytes] of BROKEN_JSON) {
        const contentType = "application/json";
        const { req_id } = await refused(t, what, "ping", bytes, "parse_error", { contentType });
        t.expect.equal(req_id, null, `req_id of the error to ${what}`);
      }
      await accepted(t, "an ordinary ping", "ping", request(t, "ping"));
    },
  }),
  hostCheck({
    id: "encoding/truncated-messagepack-refused",
    clauses: ["ENC-4", "ENC-7"],
    async run(t) {
      const whole = encodeMessage(request(t, "store", { entries: [t.entry()] }), "msgpack");
      const contentType = "application/msgpack";
      await forEachOf([...whole.keys()], async (length) => {
        const what = `the first ${length} of ${whole.length} bytes of a store in MessagePack`;
        await refused(t, what, "store", whole.subarray(0, length), "parse_error", { contentType });
      });
      t.expect.equal(await storedEntries(t), [], "entries after stores that were cut off");
      await accepted(t, "the whole of that store", "store", whole, { contentType });
    },
  }),
  hostCheck({
    id: "encoding/bytes-behind-messagepack-refused",
    clauses: ["ENC-4", "ENC-7"],
    async run(t) {
      const contentType = "application/msgpack";
      for (const tail of [[0xc0], [0x00], [0x80], [0xc1], [0x0a]]) {
        const message = request(t, "store", { entries: [t.entry()] });
        const bytes = Buffer.from([...encodeMessage(message, "msgpack"), ...tail]);
        const what = `a store in MessagePack followed by the byte ${tail[0]}`;
        await refused(t, what, "store", bytes, "parse_error", { contentType });
      }
      t.expect.equal(await storedEntries(t), [], "entries after stores followed by another byte");
    },
  }),
  hostCheck({
    id: "encoding/messagepack-strings-are-utf-8",
    clauses: ["ENC-7", "ENC-4"],
    async run(t) {
      const contentType = "application/msgpack";
      for (const [what, bytes] of BAD_STRINGS) {
        const text = packedString(bytes);
        for (const [place, value] of [
          ["content", text],
          ["a field name within content", [0x81, ...text, 0x01]],
        ] as const) {
          const message = request(t, "store", { entries: [t.entry({ content: RAW })] });
          const sent = `a store in MessagePack with ${what} in ${place}`;
          await refused(t, sent, "store", rawPack(message, value), "parse_error", { contentType });
        }
      }
      t.expect.equal(await storedEntries(t), [], "entries after stores with strings that are not UTF-8");
    },
  }),
  hostCheck({
    id: "encoding/other-spellings-accepted",
    clauses: ["ENC-4"],
    async run(t) {
      const spaced = request(t, "ping", { x_raw: RAW });
      for (const text of ['" \\u0041\\/\\n\\ud83e\\udd8a"', "[ ]", "{ }", "-0.5e-3", "true", '""']) {
        await accepted(t, `a ping in JSON with x_raw: ${text}`, "ping", rawJson(spaced, text));
      }
      for (const bytes of [
        [0xd9, 1, 0x61],
        [0xdc, 0, 0],
        [0xde, 0, 0],
        [0xca, 0x3f, 0, 0, 0],
        [0xcd, 0, 1],
        [0xd3, 0, 0, 0, 0, 0, 0, 0, 1],
      ]) {
        const what = `a ping in MessagePack with x_raw of the bytes ${bytes.join(" ")}`;
        await accepted(t, what, "ping", rawPack(spaced, bytes), { contentType: "application/msgpack" });
      }
    },
  }),
];

export const encodingChecks: readonly Check[] = [
  ...choiceChecks,
  ...malformedChecks,
  ...encodingValueChecks,
  ...encodingVectorChecks,
];
