import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { A2eClient, type Reply } from "./a2e-client.js";
import { GatewayFixture } from "./gateway-fixture.js";

const fixture = new GatewayFixture();
let url = "";
let client: A2eClient;
let memory_id = "";

beforeAll(async () => {
  await fixture.start();
  ({ url } = await fixture.gateway());
  client = await A2eClient.create(url);
  await client.openStream(url);
});
afterAll(() => fixture.stop());

const ENVELOPE = {
  id: expect.stringMatching(/^[0-9a-f]{32}$/),
  version: "1.0",
  ts: expect.any(Number),
  req_id: expect.any(String),
};

/** Requests as the SDK sends them, and the types it requires in replies. */
describe("a message of the SDK", () => {
  it("is rejected before a handshake", async () => {
    const reply = await client.ask(url, { type: "memory/init/req", namespace: "default" });
    expect(reply).toMatchObject({ ...ENVELOPE, type: "error", code: "unauthorized", retryable: false });
  });

  it("starts a session", async () => {
    const caps = ["memory", "tools"];
    expect(await client.handshake(url, { agent_id: "agent-analytics-01", agent_caps: caps })).toMatchObject({
      ...ENVELOPE,
      type: "handshake/resp",
      session_id: expect.any(String),
      accepted_caps: [
        {
          capability: "memory",
          enabled: true,
          metadata: { name: "membus", type: "memory", priority: 0, exclusive: true },
        },
      ],
      max_parallel: expect.any(Number),
      ok: true,
      reason: "",
    });
  });

  it("opens the memory of a namespace", async () => {
    const scope = { agent: "analytics-01", env: "dev" };
    const init = { type: "memory/init/req", namespace: "cookbook-demo", scope, metadata: { source: "x" } };
    const reply = await client.ask(url, init);
    const opened = { memory_id: expect.any(String), namespace: "cookbook-demo", success: true };
    expect(reply).toMatchObject({ ...ENVELOPE, type: "memory/init/resp", ...opened });
    expect((await client.ask(url, init)).memory_id).toBe(reply.memory_id);
    memory_id = reply.memory_id as string;
    const wrong = await client.ask(url, { ...init, namespace: "no//namespace" });
    expect(wrong).toMatchObject({ type: "error", code: "schema_violation" });
  });

  it("stores entries and returns their keys", async () => {
    const entry = sdkEntry({ user_id: "foo", index: "1" }, { text: "user prefers python" }, ["preference"]);
    const reply = await client.ask(url, {
      type: "memory/store/req",
      memory_id,
      entries: [entry, { key: "k" }],
    });
    expect(reply).toMatchObject({ ...ENVELOPE, type: "memory/store/resp" });
    expect(reply.stored).toEqual([{ user_id: "foo", index: "1" }]);
    expect(reply.errors).toEqual([expect.stringMatching(/^entry 1: schema_violation: /)]);
    expect(reply.error_details).toMatchObject([{ index: 1, code: "schema_violation" }]);
  });

  it("stores a content of null, and refuses only the entry of its batch that has no key or content", async () => {
    const entries = [
      sdkEntry({ id: "null" }, null, ["null"]),
      sdkEntry({ id: "one" }, 1, ["null"]),
      sdkEntry(null, 1, ["null"]),
      { key: { id: "absent" } },
    ];
    const reply = await client.ask(url, { type: "memory/store/req", memory_id, entries });
    expect(reply.stored).toEqual([{ id: "null" }, { id: "one" }]);
    expect(reply.error_details).toMatchObject([{ index: 2 }, { index: 3 }]);
    const found = await client.ask(url, { ...RETRIEVE, memory_id, tags: ["null"] });
    expect((found.entries as Reply[]).map(({ content }) => content).sort()).toEqual([1, null]);
  });

  it("retrieves entries with the required field types", async () => {
    const reply = await client.ask(url, {
      ...RETRIEVE,
      memory_id,
      tags: ["preference"],
      tier: "semantic",
      limit: 5,
    });
    const { entries, total } = reply as { entries: Reply[]; total: number };
    expect([reply.type, entries.length, total]).toEqual(["memory/retrieve/resp", 1, 1]);
    expect(entries[0]).toEqual({
      key: { user_id: "foo", index: "1" },
      content: { text: "user prefers python" },
      tier: "semantic",
      tags: ["preference"],
      source: "agent-analytics-01",
      score: 1,
      ttl: 0,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    });
  });

  it("retrieves a key from the working tier first, and follows the pages", async () => {
    for (const tier of ["episodic", "working", "semantic"]) {
      const entry = { ...sdkEntry({ id: "x" }, tier), tier };
      await client.ask(url, { type: "memory/store/req", memory_id, entries: [entry] });
    }
    const found = await client.ask(url, { ...RETRIEVE, memory_id, keys: [{ id: "x" }] });
    expect((found.entries as Reply[]).map(({ content }) => content)).toEqual([
      "working",
      "episodic",
      "semantic",
    ]);
    const entries = Array.from({ length: 1_200 }, (_, n) => sdkEntry({ n }, "y".repeat(1_000), ["paged"]));
    for (let at = 0; at < entries.length; at += 400) {
      await client.ask(url, { type: "memory/store/req", memory_id, entries: entries.slice(at, at + 400) });
    }
    const all = await client.ask(url, { ...RETRIEVE, memory_id, tags: ["paged"], limit: 5_000 });
    expect([(all.entries as Reply[]).length, all.total]).toEqual([1_200, 1_200]);
    const some = await client.ask(url, { ...RETRIEVE, memory_id, tags: ["paged"], limit: 0 });
    expect(some.entries).toEqual([]);
  });

  it("forgets by tag and by key, and nothing without both", async () => {
    const forget = { type: "memory/forget/req", memory_id, keys: [], tags: [], tier: "" };
    expect(await client.ask(url, forget)).toMatchObject({ type: "memory/forget/resp", deleted: 0 });
    expect(await client.ask(url, { ...forget, tags: ["paged"] })).toMatchObject({ deleted: 1_200 });
    expect(await client.ask(url, { ...forget, keys: [{ id: "x" }], tier: "working" })).toMatchObject({
      deleted: 1,
    });
  });

  it("has one effect if it is repeated", async () => {
    const store = (content: string) =>
      client.ask(url, {
        type: "memory/store/req",
        id: "same",
        memory_id,
        entries: [sdkEntry({ id: "once" }, content)],
      });
    expect((await store("first")).stored).toEqual([{ id: "once" }]);
    await client.ask(url, {
      type: "memory/store/req",
      memory_id,
      entries: [sdkEntry({ id: "once" }, "second")],
    });
    await store("first");
    const found = await client.ask(url, { ...RETRIEVE, memory_id, keys: [{ id: "once" }] });
    expect((found.entries as Reply[])[0]!.content).toBe("second");
  });

  it("is answered with an error if it is not supported", async () => {
    const pong = await client.ask(url, { type: "ping" });
    expect(pong).toMatchObject({ ...ENVELOPE, type: "pong", uptime_seconds: expect.any(Number) });
    const other = await client.ask(url, { type: "tool/list/req" });
    expect(other).toMatchObject({ type: "error", code: "invalid_message", detail: expect.any(Object) });
    const unknown = await client.ask(url, { ...RETRIEVE, memory_id: "no.id" });
    expect(unknown).toMatchObject({ type: "error", code: "memory_not_found" });
    await client.post(url, "no JSON");
    expect(await client.reply("")).toMatchObject({ type: "error", code: "parse_error" });
    await client.post(url, `{"type":"memory/store/req","id":"huge","x":"${"x".repeat(1_100_000)}"}`);
    expect(await client.reply("huge")).toMatchObject({ type: "error", code: "too_large" });
  });

  it("is sent as ASCII, with one entry per line", async () => {
    const content = "\u2028 \u2029 \u0085 é 😀";
    await client.ask(url, { type: "memory/store/req", memory_id, entries: [sdkEntry({ id: "u" }, content)] });
    const reply = await client.ask(url, { ...RETRIEVE, memory_id, keys: [{ id: "u" }] });
    expect((reply.entries as Reply[])[0]!.content).toBe(content);
    expect(client.lines.every((line) => /^[\x20-\x7e]*$/.test(line))).toBe(true);
  });
});

const RETRIEVE = {
  ...{ type: "memory/retrieve/req", keys: [], query: "", tags: [], tier: "", limit: 10, min_score: 0 },
};

function sdkEntry(key: object | null, content: unknown, tags: string[] = []) {
  const times = { created_at: 1_795_468_641, updated_at: 1_795_468_641 };
  return { key, content, tier: "semantic", tags, source: "", score: 1, ttl: 0, ...times };
}
