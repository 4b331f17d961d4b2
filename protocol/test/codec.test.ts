import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeMessage,
  detectEncoding,
  type Encoding,
  encodeMessage,
  type Message,
  readJson,
  validateJson,
} from "../src/index.js";
import { json, text } from "./arbitraries.js";
import { withLists } from "./vector-files.js";

const ENCODINGS: readonly Encoding[] = ["json", "msgpack"];

function roundTrip(message: Message, encoding: Encoding): Message {
  const outcome = decodeMessage(encodeMessage(message, encoding));
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.text}`);
  expect(outcome.encoding).toBe(encoding);
  return outcome.message;
}

describe("round trip", () => {
  it.each(ENCODINGS)("preserves 5,000 values in %s", (encoding) => {
    fc.assert(
      fc.property(text, json, (id, content) => {
        const message = { type: "memory/store/req", id, entries: [{ key: "a", content }] };
        expect(roundTrip(message, encoding)).toEqual(message);
      }),
      { numRuns: 5_000, seed: 7 },
    );
  });

  it("preserves vectors exactly, from either encoding", () => {
    const vector = fc.float32Array({ minLength: 1, maxLength: 8, noNaN: true, min: -1e9, max: 1e9 });
    fc.assert(
      fc.property(vector, (values) => {
        const embedding = values.map((value) => value + 0);
        const message = { type: "t", embedding, entries: [{ embedding }] };
        expect(roundTrip(message, "msgpack")).toEqual(message);
        expect(roundTrip(message, "json")).toEqual(withLists(message));
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it("omits undefined fields", () => {
    for (const encoding of ENCODINGS) {
      expect(roundTrip({ type: "ping", id: undefined }, encoding)).toEqual({ type: "ping" });
    }
  });
});

describe("integral numbers beyond 2^53", () => {
  it("are written in JSON with an exponent, without other changes", () => {
    const message = {
      n: 9007199254740991,
      a: [2 ** 53, -9007199254740994, 2e18, 123456789012345680000, 6.02e23, 0.1234567890123456],
      ":1234567890123456789": '"[1234567890123456789,',
    };
    const numbers =
      "9007199254740992e0,-9007199254740994e0,2e18,12345678901234568e4,6.02e+23,0.1234567890123456";
    expect(Buffer.from(encodeMessage(message, "json")).toString()).toBe(
      `{"n":9007199254740991,"a":[${numbers}],":1234567890123456789":"\\"[1234567890123456789,"}`,
    );
  });

  it.each(["9007199254740992", "-9007199254740993", '[1,{"b":1000000000000000000000}]'])(
    "are rejected in JSON if written as %s",
    (json) => {
      expect(() => readJson(json)).toThrow("is an integer beyond ±(2^53 - 1)");
    },
  );

  it("are accepted in JSON if written with a fraction or an exponent", () => {
    const json = '{"a":[1e16,-9007199254740994.0,9007199254740991],"b":"\\"1234567890123456789"}';
    expect(readJson(json)).toEqual({
      a: [1e16, -9007199254740994, 9007199254740991],
      b: '"1234567890123456789',
    });
  });
});

describe("encoding of a message", () => {
  it.each<[string | undefined, number, Encoding]>([
    ["application/json", 0x80, "json"],
    ["application/json; charset=utf-8", 0x80, "json"],
    ["application/msgpack", 0x7b, "msgpack"],
    [" Application/MsgPack ", 0x7b, "msgpack"],
    ["text/plain", 0x7b, "json"],
    ["", 0xde, "msgpack"],
    [undefined, 0x7b, "json"],
    [undefined, 0x20, "json"],
    [undefined, 0x7f, "json"],
    [undefined, 0x80, "msgpack"],
    [undefined, 0x8f, "msgpack"],
    [undefined, 0x90, "json"],
    [undefined, 0xde, "msgpack"],
    [undefined, 0xdf, "msgpack"],
    [undefined, 0xff, "json"],
  ])("header %s and first byte %i: %s", (contentType, first, expected) => {
    expect(detectEncoding(Uint8Array.of(first), contentType)).toBe(expected);
  });

  it("is JSON for an empty message", () => expect(detectEncoding(new Uint8Array())).toBe("json"));
});

describe("limits", () => {
  it("checks the size before parsing", () => {
    const outcome = decodeMessage(Buffer.from("not JSON"), { maxBytes: 7 });
    expect(outcome).toMatchObject({
      ok: false,
      code: "too_large",
      detail: { limit: "messageBytes", max: 7, got: 8 },
    });
    expect(decodeMessage(Buffer.from('{"a":1}'), { maxBytes: 7 }).ok).toBe(true);
  });

  it("decodes in bounded memory, regardless of claimed lengths", () => {
    const head = Buffer.from([0x81, 0xa1, 0x61]);
    const before = process.memoryUsage().rss;
    for (const claim of [Buffer.from([0xdc, 0xff, 0xff]), Buffer.from([0xdd, 0x01, 0xff, 0xff, 0xff])]) {
      const bomb = Buffer.concat([head, ...Array.from({ length: 20_000 }, () => claim)]);
      expect(decodeMessage(bomb)).toMatchObject({ ok: false, code: "parse_error" });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  it.each(ENCODINGS)("counts objects and lists, in %s", (encoding) => {
    const messageOf = (count: number) => ({ a: [{}], b: Array.from({ length: count - 4 }, () => []) });
    const decode = (count: number, nestedMax?: number) =>
      decodeMessage(encodeMessage(messageOf(count), encoding), nestedMax === undefined ? {} : { nestedMax });
    expect([decode(1_000, 1_000).ok, decode(1_001).ok]).toEqual([true, true]);
    const tooMany = decode(1_001, 1_000);
    const detail = { limit: "nestedValues", max: 1_000, got: 1_001 };
    expect(tooMany).toMatchObject({ ok: false, code: "too_large", detail });
  });

  it("limits the size of error messages with long names", () => {
    const long = "n".repeat(500_000);
    const nested = { [long]: { [long]: { [long]: "\ud800" } } };
    const outcome = decodeMessage(Buffer.from(JSON.stringify({ type: "ping", ...nested })));
    expect(outcome).toMatchObject({ ok: false, code: "schema_violation" });
    expect(JSON.stringify(outcome).length).toBeLessThan(1_000);
  });
});

describe("the input", () => {
  it("may be frozen during validation", () => {
    const embedding = Float32Array.of(1, 2);
    const entries = Object.freeze([Object.freeze({ embedding })]);
    expect(() => validateJson(Object.freeze({ type: "t", entries }))).not.toThrow();
    expect(() => validateJson({ content: { embedding } })).toThrow(
      "content.embedding must not be binary, only an embedding may be",
    );
  });

  it("is not changed by encoding", () => {
    const message = Object.freeze({ type: "t", embedding: Float32Array.of(1, 2) });
    for (const encoding of ENCODINGS) expect(encodeMessage(message, encoding).length).toBeGreaterThan(0);
    expect(message.embedding).toEqual(Float32Array.of(1, 2));
  });

  it("is not shared with the decoded message", () => {
    const bytes = encodeMessage({ type: "t", embedding: Float32Array.of(1, 2) }, "msgpack");
    const outcome = decodeMessage(bytes) as { message: Message };
    bytes.fill(0);
    expect(outcome.message.embedding).toEqual(Float32Array.of(1, 2));
  });
});
