import { MemoryError } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { decoded, HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const STORE = "a2e.default.alice.memory.store.req";

async function reply(subject: string, payload: string | Uint8Array, contentType?: string) {
  const fixture = await HostFixture.start();
  const message = await fixture.sendBytes(subject, Buffer.from(payload), contentType);
  return { message, answer: decoded(message) };
}

describe("a broken message", () => {
  it.each([
    ["not JSON", "{", "parse_error", null],
    ["a list", "[]", "invalid_message", null],
    ["an unknown type", '{"type":"memory/stoer/req","id":"r"}', "invalid_message", "r"],
    ["another operation's type", '{"type":"ping","id":"r"}', "invalid_message", "r"],
    [
      "another major version",
      '{"type":"memory/store/req","id":"r","version":"2.0"}',
      "version_mismatch",
      "r",
    ],
    ["no entries", '{"type":"memory/store/req","id":"r"}', "schema_violation", "r"],
    [
      "an unknown field",
      '{"type":"memory/store/req","id":"r","entries":[{}],"tenant":"x"}',
      "schema_violation",
      "r",
    ],
    ["a lone surrogate", '{"type":"memory/store/req","id":"r","x":"\\ud800"}', "schema_violation", "r"],
    ["__proto__", '{"type":"memory/store/req","id":"r","x_a":{"__proto__":1}}', "schema_violation", "r"],
    ["5,000 levels", "[".repeat(5_000) + "]".repeat(5_000), "invalid_message", null],
  ])("with %s gets its own error", async (_what, payload, code, reqId) => {
    const { answer, message } = await reply(STORE, payload);
    expect(answer).toMatchObject({
      type: "error",
      version: "1.1",
      req_id: reqId,
      code,
      capability_name: "memory",
    });
    expect(message.headers).toMatchObject({
      "Content-Type": "application/json",
      "Nats-Service-Error-Code": "400",
      "Nats-Service-Error": answer.message,
    });
  });

  it("in MessagePack gets its error in MessagePack", async () => {
    const truncated = Uint8Array.of(0x82, 0xa4, 0x74, 0x79, 0x70, 0x65);
    const { answer, message } = await reply(STORE, truncated);
    expect(answer).toMatchObject({ type: "error", code: "parse_error" });
    expect(message.headers["Content-Type"]).toBe("application/msgpack");
  });

  it.each([
    "a2e.default.=YWxpY2U.memory.store.req",
    "a2e.default.ali+ce.memory.store.req",
    "a2e.default.alice.memory.history.req",
  ])("to %s gets invalid_message", async (subject) => {
    const { answer } = await reply(subject, '{"type":"memory/store/req","id":"r","entries":[{}]}');
    expect(answer).toMatchObject({ type: "error", code: "invalid_message", req_id: "r" });
  });
});

describe("a request without an id", () => {
  it("gets an id from the host, and the reply contains it", async () => {
    const { answer } = await reply(STORE, '{"type":"memory/store/req","entries":[{"key":"a","content":1}]}');
    expect(answer.type).toBe("memory/store/resp");
    const id = answer.req_id as string;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(answer.receipts).toMatchObject([{ event_id: `${id}/0` }]);
  });
});

describe("a failing operation", () => {
  it.each([
    [
      "unknown features",
      { requires: ["telepathy"] },
      "unsupported",
      { feature: "telepathy", path: "requires" },
    ],
    ["a tier that is not served", { tier: "semantic" }, "unsupported", { tier: "semantic" }],
    ["a foreign cursor", { cursor: "bm90IG9uZQ" }, "schema_violation", { path: "cursor" }],
    [
      "vectors without an embedder",
      { embedding: [1], embedding_model: "m" },
      "schema_violation",
      { path: "embedding" },
    ],
  ])("returns an error for %s", async (_what, fields, code, detail) => {
    const fixture = await HostFixture.start();
    expect(await fixture.retrieve(fields)).toMatchObject({
      type: "error",
      code,
      detail,
      req_id: "request-1",
    });
  });

  it("hides the error that a plugin threw, but logs it", async () => {
    const plugin = new MapPlugin();
    plugin.onRetrieve = async () => Promise.reject(new Error("secret path /etc"));
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    const answer = await fixture.retrieve();
    expect(answer).toMatchObject({
      code: "runtime_error",
      message: "internal error of the working tier. The host's log has the cause",
      detail: { tier: "working" },
    });
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect(fixture.logger.lines).toMatchObject([
      { level: "error", message: "plugin call failed", fields: { plugin: "map", tier: "working" } },
    ]);
    expect(String(fixture.logger.lines[0]!.fields.err)).toBe("Error: secret path /etc");
  });

  it.each(["memory_full", "out_of_memory", "unavailable", "too_large"] as const)(
    "returns a plugin's %s unchanged",
    async (code) => {
      const plugin = new MapPlugin();
      plugin.onRetrieve = () => {
        throw new MemoryError(code, "as it is", { limit: 7 });
      };
      const fixture = await HostFixture.start({ plugins: { working: plugin } });
      expect(await fixture.retrieve()).toMatchObject({ code, message: "as it is", detail: { limit: 7 } });
    },
  );

  it("adds retry_after_ms to a plugin's overloaded", async () => {
    const plugin = new MapPlugin();
    plugin.onForget = async () => Promise.reject(new MemoryError("overloaded", "full"));
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    const answer = await fixture.forget({ all: true });
    expect(answer).toMatchObject({ code: "overloaded", retryable: true, detail: { retry_after_ms: 200 } });
  });
});
