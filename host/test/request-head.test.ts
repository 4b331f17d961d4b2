import { encodeMessage } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { readHead } from "../src/routing/request-head.js";

const utf8 = (text: string) => Buffer.from(text, "utf8");
const LONG = "x".repeat(5_000);

describe("the head of a message", () => {
  it.each(["json", "msgpack"] as const)(
    "contains the id of a message in %s, whatever its size",
    (encoding) => {
      const message = { type: "memory/store/req", deadline_ms: 70_000, id: "request-1", entries: [LONG] };
      expect(readHead(encodeMessage(message, encoding), undefined)).toEqual({ encoding, reqId: "request-1" });
    },
  );

  it.each([
    ["nested", '{"key":{"id":"other"},"tags":["id","x"],"id":"mine"}', "mine"],
    ["a value, not a name", '{"a":"id","id":"mine"}', "mine"],
    ["escaped", String.raw`{"a":"\"id\":\"other\"","id":"m\u0069ne"}`, "mine"],
    ["cut off elsewhere", '{"id":"mine","a":', "mine"],
    ["absent", '{"type":"ping"}', null],
    ["not a text", '{"id":{"id":"other"}}', null],
    ["no id", '{"id":"not\\nprintable"}', null],
    ["after the head", `{"a":"${LONG}","id":"mine"}`, null],
    ["in a text that continues after the head", `{"a":"\\",\\"id\\":\\"other\\"${LONG}"}`, null],
    ["of a list", '["id",{"id":"other"}]', null],
    ["not a message", '"id":"other"', null],
    ["empty", "", null],
  ])("contains no id that is %s", (_, payload, reqId) => {
    expect(readHead(utf8(payload), "application/json").reqId).toBe(reqId);
  });

  it.each([
    ["a text of 10 bytes", "x".repeat(10)],
    ["a text of 100 bytes", "x".repeat(100)],
    ["a text of 900 bytes", "x".repeat(900)],
    ["a short vector", new Float32Array(8)],
    ["a vector", new Float32Array(100)],
    ["a number with a fraction", 0.1],
    ["nothing", null],
  ])("has an id in MessagePack after %s", (_, before) => {
    const message = { embedding: before, id: "mine" };
    expect(readHead(encodeMessage(message, "msgpack"), undefined).reqId).toBe("mine");
  });

  it("has an id in MessagePack after a text with a four-byte length prefix", () => {
    const [map, a, text] = [[0x82], [0xa1, 0x61], [0xdb, 0, 0, 0, 1, 0x78]];
    const payload = Buffer.concat([
      Buffer.from([...map, ...a, ...text, 0xa2]),
      utf8("id"),
      Buffer.from([0xa1, 0x31]),
    ]);
    expect(readHead(payload, undefined).reqId).toBe("1");
  });

  it.each([
    ["after a nested value", { key: { id: "other" }, id: "mine" }],
    ["after the head", { a: LONG, id: "mine" }],
    ["absent", { type: "ping" }],
  ])("is not searched further in MessagePack: %s", (_, message) => {
    expect(readHead(encodeMessage(message, "msgpack"), undefined).reqId).toBeNull();
  });
});
