import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeMessage, encodeMessage, type Message, parseRequest, requestDigest } from "../src/index.js";
import { json } from "./arbitraries.js";

const store = (more: Message = {}): Message => ({
  type: "memory/store/req",
  entries: [{ key: { id: "a" }, content: { b: 1, c: [true, null] } }],
  ...more,
});

/** Returns the digest like a host: of the received and parsed request. */
function received(message: Message, encoding: "json" | "msgpack", without?: readonly string[]): string {
  const outcome = decodeMessage(encodeMessage(message, encoding));
  if (!outcome.ok) throw new Error(outcome.text);
  return requestDigest(parseRequest(outcome.message), without);
}

describe("digest of a request", () => {
  it("is the same in both encodings", () => {
    fc.assert(
      fc.property(json, (content) => {
        const message = store({ entries: [{ key: "a", content }] });
        expect(received(message, "json")).toBe(received(message, "msgpack"));
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it("is the same for a vector as a list of decimals and as float32", () => {
    const list = [0.1, -0.3333, 1];
    const entry = { key: "a", content: 1, embedding_model: "m" };
    const asList = store({ entries: [{ ...entry, embedding: list }] });
    const asBinary = store({ entries: [{ ...entry, embedding: Float32Array.from(list) }] });
    expect(received(asList, "json")).toBe(received(asBinary, "msgpack"));
    const retrieve = { type: "memory/retrieve/req", embedding_model: "m" };
    expect(received({ ...retrieve, embedding: list }, "json")).toBe(
      received({ ...retrieve, embedding: Float32Array.from(list) }, "msgpack"),
    );
  });

  it("does not depend on field order or absent fields", () => {
    const entries = [{ content: { c: [true, null], b: 1 }, key: { id: "a" } }];
    const same = {
      x_trace: "t",
      ack: null,
      entries,
      namespace: "",
      session_id: "",
      type: "memory/store/req",
    };
    expect(received(same, "json")).toBe(received(store(), "json"));
  });

  it("ignores id, ts, version, deadline_ms and the excluded fields", () => {
    const other = store({ id: "q", ts: 1, version: "1.1", deadline_ms: 10 });
    expect(received(other, "json")).toBe(received(store(), "json"));
    const page = { type: "memory/retrieve/req", query: "tea" };
    const next = { ...page, limit: 3, cursor: "c" };
    expect(received(next, "json")).not.toBe(received(page, "json"));
    expect(received(next, "json", ["limit", "cursor"])).toBe(received(page, "json"));
  });

  it.each<[string, Message]>([
    ["another content", { entries: [{ key: { id: "a" }, content: { b: 1, c: [true, false] } }] }],
    ["another order of a list", { entries: [{ key: { id: "a" }, content: { b: 1, c: [null, true] } }] }],
    [
      "a string instead of a number",
      { entries: [{ key: { id: "a" }, content: { b: "1", c: [true, null] } }] },
    ],
    ["an additional entry", { entries: [...(store().entries as []), { key: "b", content: 1 }] }],
    ["another session", { session_id: "s" }],
    ["another namespace", { namespace: "n" }],
    ["another ack", { ack: "queued" }],
    ["requires", { requires: ["ttl"] }],
  ])("tells %s", (_name, more) => {
    expect(received(store(more), "json")).not.toBe(received(store(), "json"));
  });

  it("is 22 characters", () => expect(requestDigest(store())).toMatch(/^[A-Za-z0-9_-]{22}$/));
});
