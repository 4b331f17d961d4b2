import { CONTENT_TYPES, decodeMessage } from "@membus/protocol";
import { expect, it } from "vitest";
import { HostFixture } from "./host-fixture.js";

const SUBJECT = "a2e.default.mallory.memory.store.req";
const MIB = 1024 * 1024;

const bytes = (...parts: readonly (string | number | Buffer)[]) =>
  Buffer.concat(
    parts.map((part) => {
      if (typeof part === "number") return Buffer.of(part);
      return typeof part === "string" ? Buffer.from(part) : part;
    }),
  );
/** A short MessagePack string. */
const text = (value: string) => bytes(0xa0 | value.length, value);
/** Repeats bytes up to a size. */
const filled = (size: number, ...pattern: readonly number[]) =>
  Buffer.alloc(size - (size % pattern.length), Buffer.from(pattern));

const HEAD = bytes(
  0x83,
  text("type"),
  bytes(0xb0, "memory/store/req"),
  text("id"),
  text("bomb"),
  text("entries"),
);
/** Returns a store of one entry with the content `value`. */
const content = (...value: readonly (string | number | Buffer)[]) =>
  bytes(HEAD, 0x91, 0x82, text("key"), text("k"), text("content"), ...value);

const MSGPACK: Record<string, readonly [Buffer, string]> = {
  "a million nested lists": [bytes(HEAD, filled(MIB, 0x91), 0xc0), "too_large"],
  "nested maps": [bytes(HEAD, filled(MIB, 0x81, 0xa1, 0x61), 0xc0), "too_large"],
  "65 nested lists": [content(filled(65, 0x91), 0xc0), "too_large"],
  "a list of four billion": [bytes(HEAD, 0xdd, 0xff, 0xff, 0xff, 0xff), "parse_error"],
  "a map of four billion": [bytes(HEAD, 0xdf, 0xff, 0xff, 0xff, 0xff), "parse_error"],
  "a message of four billion fields": [bytes(0xdf, 0xff, 0xff, 0xff, 0xff, text("type")), "parse_error"],
  "a string of 4 GB": [content(0xdb, 0xff, 0xff, 0xff, 0xff), "parse_error"],
  "binary of 4 GB": [content(0xc6, 0xff, 0xff, 0xff, 0xff), "parse_error"],
  "an extension of 4 GB": [content(0xc9, 0xff, 0xff, 0xff, 0xff, 1), "parse_error"],
  "many lists of two billion": [
    bytes(HEAD, 0xdc, 0xff, 0xff, filled(MIB, 0xdd, 0x7f, 0xff, 0xff, 0xff)),
    "too_large",
  ],
  "a million empty maps": [bytes(HEAD, 0xdd, 0, 0x0f, 0x42, 0x40, filled(1_000_000, 0x80)), "too_large"],
  "a timestamp": [content(0xd6, 0xff, 0, 0, 0, 0), "schema_violation"],
  "an extension": [content(0xd4, 0, 0), "schema_violation"],
  "binary outside of embedding": [content(0xc4, 1, 0), "schema_violation"],
  "a key __proto__": [content(0x81, text("__proto__"), 0x80), "parse_error"],
  "a number as key": [content(0x81, 1, 1), "parse_error"],
  "a NaN": [content(0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0), "schema_violation"],
  "2^64 - 1": [content(0xcf, filled(8, 0xff)), "schema_violation"],
  "a string that is not UTF-8": [content(0xa2, 0xff, 0xfe), "parse_error"],
  "the unused first byte": [content(0xc1), "parse_error"],
  "bytes after the message": [bytes(HEAD, 0x90, filled(MIB, 0xc0)), "parse_error"],
  "compressed bytes": [bytes(0x1f, 0x8b, 8, 0, filled(1_000, 0)), "parse_error"],
  "no bytes": [Buffer.alloc(0), "parse_error"],
};

const START = '{"type":"memory/store/req","id":"bomb","entries":';
const JSON_BOMBS: Record<string, readonly [string, string]> = {
  "a million open lists": [START + "[".repeat(MIB), "parse_error"],
  "nested lists": [`${START}${"[".repeat(MIB / 2)}${"]".repeat(MIB / 2)}}`, "too_large"],
  "65 nested lists": [`${START}[{"key":"k","content":${"[".repeat(65)}${"]".repeat(65)}}]}`, "too_large"],
  "300,000 objects": [`${START}[${"{},".repeat(300_000)}{}]}`, "too_large"],
  "a number of a million digits": [`${START}[{"key":"k","content":${"1".repeat(MIB)}}]}`, "schema_violation"],
  "1e999": [`${START}[{"key":"k","content":1e999}]}`, "schema_violation"],
  "a key __proto__": [`${START}[{"key":"k","content":{"__proto__":{"polluted":1}}}]}`, "schema_violation"],
  "a lone surrogate": [`${START}[{"key":"k","content":"\\ud800"}]}`, "schema_violation"],
  "a byte order mark": [`\ufeff${START}[]}`, "parse_error"],
  "white space": [" ".repeat(MIB), "parse_error"],
};

const BOMBS = [
  ...Object.entries(MSGPACK).map(([name, [payload, code]]) => ["msgpack", name, payload, code] as const),
  ...Object.entries(JSON_BOMBS).map(
    ([name, [json, code]]) => ["json", name, Buffer.from(json), code] as const,
  ),
];

it.each(BOMBS)("answers %s with %s once, and goes on", async (encoding, _name, payload, code) => {
  const fixture = await HostFixture.start({ bus: { maxPayloadBytes: 4 * MIB } });
  const headers = { "Content-Type": CONTENT_TYPES[encoding] };
  const replies = [] as unknown[];
  fixture.bus.subscribe("_INBOX.bomb", (reply) => {
    const decoded = decodeMessage(reply.payload, { contentType: CONTENT_TYPES[encoding] });
    replies.push(decoded.ok && decoded.message);
  });
  fixture.bus.publish(SUBJECT, payload, { headers, reply: "_INBOX.bomb" });
  await expect.poll(() => replies).toHaveLength(1);
  expect(replies[0]).toMatchObject({ type: "error", code });
  const answer = await fixture.store([{ key: "k", content: 1 }]);
  expect(answer.receipts).toHaveLength(1);
  expect(replies).toHaveLength(1);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});
