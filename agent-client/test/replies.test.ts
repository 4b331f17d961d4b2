import { encodeMessage, MemoryError, type Message } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { openFixture } from "./client-fixture.js";
import { storeAll } from "./scripted-host.js";

const ENTRY = { key: "a", content: 1 };

describe("methods that return a reply", () => {
  it("ping: returns the host", async () => {
    const answer = () => ({ host_id: "h1", tiers: ["working"], later: 1 });
    const { client, host } = await openFixture({ answer });
    expect(await client.ping()).toEqual({ host_id: "h1", tiers: ["working"] });
    expect(host.requests[0]!.subject).toBe("a2e.default.alice.ping");
  });

  it("ping: fails without a host, without a retry", async () => {
    const { client, host } = await openFixture();
    await host.stop();
    expect((await rejection(client.ping(), "unavailable")).detail.reason).toBe("no_responders");
  });

  it("status: returns the outcome of a store", async () => {
    const receipts = [{ index: 0, key_hash: "0".repeat(64), outcome: "created", revision: 1 }];
    const reply = { kind: "store", request_id: "r1", done: true, receipts, errors: [] };
    const { client, host } = await openFixture({ answer: () => reply });
    expect(await client.status("r1")).toEqual({ done: true, receipts, errors: [] });
    expect(host.bodies).toEqual([{ request_id: "r1" }]);
    await expect(client.status("")).rejects.toThrow(TypeError);
  });

  it("forgetStatus: returns whether the deleted bytes are erased", async () => {
    const reply = { kind: "forget", request_id: "f1", receipts: [], errors: [] };
    const scheduled = { ...reply, done: false, purge: "scheduled", purge_by: 2 };
    const answers = [
      scheduled,
      { ...reply, done: true, purge: "done", purged_at: 1 },
      { ...reply, done: true },
    ];
    const { client, host } = await openFixture({ answer: (_, n) => answers[n]! });
    expect(await client.forgetStatus("f1")).toEqual({ purge: "scheduled", purge_by: 2 });
    expect(await client.forgetStatus("f1")).toEqual({ purge: "done", purged_at: 1 });
    expect(host.bodies[0]).toEqual({ request_id: "f1", kind: "forget" });
    const error = await rejection(client.forgetStatus("f1"), "runtime_error");
    expect(error.message).toContain("invalid reply from the host: it has no `purge`");
    await expect(client.forgetStatus("")).rejects.toThrow(TypeError);
  });

  it("errors: keep code, text and detail", async () => {
    const { client } = await openFixture({
      answer: () => new MemoryError("memory_not_found", "unknown request", { request_id: "r1" }),
    });
    const error = await rejection(client.status("r1"), "memory_not_found");
    expect(error).toMatchObject({
      message: "unknown request",
      detail: { request_id: "r1" },
      retryable: false,
    });
  });
});

/** Returns a complete reply as bytes, which a test can modify. */
const raw = (fields: Message) => (request: Message) =>
  encodeMessage(
    {
      type: "memory/store/resp",
      id: "x",
      version: "1.0",
      ts: 1,
      req_id: request.id,
      ...storeAll(request),
      ...fields,
    },
    "json",
  );

const UNREADABLE = "invalid reply from the host: ";

describe("invalid replies are runtime_error", () => {
  it.each([
    ["invalid JSON", () => Buffer.from("{"), "the message is not valid JSON in UTF-8"],
    ["not an object", () => Buffer.from("[]"), "the message must be an object"],
    ["another type", raw({ type: "memory/forget/resp" }), "unexpected type"],
    ["reply to another request", raw({ req_id: "other" }), "it belongs to another request"],
    ["missing list", raw({ errors: undefined }), "it has no list `errors`"],
    ["missing entry", raw({ receipts: [] }), "it does not cover all entries"],
    ["incomplete error", raw({ type: "error", code: "timeout" }), "incomplete error message"],
  ])("%s", async (_name, answer, message) => {
    const { client, host } = await openFixture({ answer });
    const error = await rejection(client.store(ENTRY), "runtime_error");
    expect(error.message).toBe(UNREADABLE + message);
    expect(host.requests).toHaveLength(1);
  });

  it("keeps the name of an error code of a later version", async () => {
    const fields = {
      code: "quantum_error",
      message: "m",
      detail: {},
      retryable: true,
      capability_name: "memory",
    };
    const { client } = await openFixture({ answer: raw({ type: "error", ...fields }) });
    expect((await rejection(client.store(ENTRY), "runtime_error")).detail).toEqual({ code: "quantum_error" });
  });

  it("accepts an error without a request id", async () => {
    const fields = { code: "parse_error", message: "m", detail: {}, retryable: false };
    const answer = raw({ type: "error", req_id: null, capability_name: "memory", ...fields });
    const { client } = await openFixture({ answer });
    await rejection(client.store(ENTRY), "parse_error");
  });
});
