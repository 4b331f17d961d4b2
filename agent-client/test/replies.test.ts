import { encodeMessage, MemoryError, type Message } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { openFixture } from "./client-fixture.js";
import { storeAll } from "./scripted-host.js";

const ENTRY = { key: "a", content: 1 };

describe("replies that answer something", () => {
  it("ping: who answers", async () => {
    const answer = () => ({ host_id: "h1", tiers: ["working"], later: 1 });
    const { client, host } = await openFixture({ answer });
    expect(await client.ping()).toEqual({ host_id: "h1", tiers: ["working"] });
    expect(host.requests[0]!.subject).toBe("a2e.default.alice.ping");
  });

  it("ping: nobody, without another attempt", async () => {
    const { client, host } = await openFixture();
    await host.stop();
    expect((await rejection(client.ping(), "unavailable")).detail.reason).toBe("no_responders");
  });

  it("status: what became of a store", async () => {
    const receipts = [{ index: 0, key_hash: "0".repeat(64), outcome: "created", revision: 1 }];
    const reply = { kind: "store", request_id: "r1", done: true, receipts, errors: [] };
    const { client, host } = await openFixture({ answer: () => reply });
    expect(await client.status("r1")).toEqual({ done: true, receipts, errors: [] });
    expect(host.bodies).toEqual([{ request_id: "r1" }]);
    await expect(client.status("")).rejects.toThrow(TypeError);
  });

  it("forgetStatus: whether the bytes that a forget took are gone", async () => {
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

  it("errors: code, text and detail", async () => {
    const { client } = await openFixture({
      answer: () => new MemoryError("memory_not_found", "not known", { request_id: "r1" }),
    });
    const error = await rejection(client.status("r1"), "memory_not_found");
    expect(error).toMatchObject({ message: "not known", detail: { request_id: "r1" }, retryable: false });
  });
});

/** A whole reply as bytes, so that a test can get it wrong. */
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

describe("replies that cannot be used are runtime_error", () => {
  it.each([
    ["no JSON", () => Buffer.from("{"), "the message is not valid JSON in UTF-8"],
    ["no object", () => Buffer.from("[]"), "the message must be an object"],
    ["another type", raw({ type: "memory/forget/resp" }), "unexpected type"],
    ["another request's", raw({ req_id: "other" }), "it belongs to another request"],
    ["a list missing", raw({ errors: undefined }), "it has no list `errors`"],
    ["an entry missing", raw({ receipts: [] }), "it does not cover all entries"],
    ["half an error", raw({ type: "error", code: "timeout" }), "incomplete error message"],
  ])("%s", async (_name, answer, message) => {
    const { client, host } = await openFixture({ answer });
    const error = await rejection(client.store(ENTRY), "runtime_error");
    expect(error.message).toBe(UNREADABLE + message);
    expect(host.requests).toHaveLength(1);
  });

  it("and so is an error of a later version, by its name", async () => {
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

  it("but not an error that names no request", async () => {
    const fields = { code: "parse_error", message: "m", detail: {}, retryable: false };
    const answer = raw({ type: "error", req_id: null, capability_name: "memory", ...fields });
    const { client } = await openFixture({ answer });
    await rejection(client.store(ENTRY), "parse_error");
  });
});
