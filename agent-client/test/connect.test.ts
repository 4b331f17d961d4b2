import { createLocalBus } from "@membus/bus";
import { systemClock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { CLIENT_DEFAULTS, MemoryClient } from "../src/index.js";
import { openFixture } from "./client-fixture.js";
import { ScriptedHost, storeAll } from "./scripted-host.js";

const logger = new RecordingLogger();
const bus = createLocalBus({}, { clock: systemClock, logger });

describe("connecting", () => {
  it("applies the documented defaults", async () => {
    const client = await MemoryClient.connect({ bus, agent: "alice" });
    const { agent, tenant, session, namespace } = client;
    expect({ agent, tenant, session, namespace }).toEqual({
      agent: "alice",
      tenant: "default",
      session: "",
      namespace: "default",
    });
    expect(CLIENT_DEFAULTS).toEqual({
      tenant: "default",
      session: "",
      namespace: "default",
      prefix: "a2e",
      encoding: "json",
      tierSubjects: false,
      timeoutMs: 5_000,
      retryTimeoutMs: 30_000,
    });
  });

  it.each([
    [{}, "agent must be a string, got undefined"],
    [{ agent: "" }, "the agent name must be a non-empty string without lone surrogates"],
    [{ agent: 7 }, "agent must be a string, got 7"],
    [{ agent: `${"a".repeat(192)} ` }, "the agent name is too long: 193 bytes, limit 192"],
    [{ agent: "a", tenant: "a.b" }, "tenant must be 1..64 of A-Z a-z 0-9 _ -, got `a.b`"],
    [{ agent: "a", prefix: "a.>" }, "prefix must be tokens separated by dots, got `a.>`"],
    [
      { agent: "a", session: "s".repeat(129) },
      "session must be at most 128 characters without lone surrogates",
    ],
    [{ agent: "a", namespace: "a/**" }, "namespace must be a path of 1..8 segments, got `a/**`"],
    [{ agent: "a", encoding: "xml" }, "encoding must be one of json, msgpack, got xml"],
    [{ agent: "a", timeoutMs: 600_001 }, "timeoutMs must be an integer of 1..600000, got 600001"],
    [{ agent: "a", agnet: "b" }, "unknown option `agnet` (did you mean `agent`?)"],
    [{ agent: "a", server: "b" }, "unknown option `server` (did you mean `servers`?)"],
    [{ agent: "a", servers: "nats://a" }, "`bus` excludes `servers`"],
    [{ agent: "a", connection: {} }, "`bus` excludes `connection`"],
  ])("refuses %j", async (options, message) => {
    const connecting = MemoryClient.connect({ bus, ...options } as never);
    await expect(connecting).rejects.toThrow(new TypeError(message));
  });

  it("rejects options that an existing connection does not allow", async () => {
    const options = { agent: "a", connection: {} as never, user: "u", inboxPrefix: "_INBOX_a" };
    await expect(MemoryClient.connect(options as never)).rejects.toThrow(
      new TypeError("`connection` excludes `user`"),
    );
  });
});

describe("views", () => {
  it("use another agent, session or namespace without changing the original client", async () => {
    const { client, host } = await openFixture();
    const entry = { key: "a", content: 1 };
    await client.forAgent("bob").store(entry);
    await client.forSession("s1").store(entry);
    await client.inNamespace("a/b").store(entry);
    await client.forAgent("carol").forSession("s2").inNamespace("c").store(entry);
    await client.store(entry);
    const seen = host.requests.map(({ subject, message: { session_id, namespace } }) => [
      subject.split(".")[2],
      session_id,
      namespace,
    ]);
    expect(seen).toEqual([
      ["bob", undefined, "default"],
      ["alice", "s1", "default"],
      ["alice", undefined, "a/b"],
      ["carol", "s2", "c"],
      ["alice", undefined, "default"],
    ]);
  });

  it("encode names that are not subject tokens as base64url", async () => {
    const { client, host } = await openFixture();
    await client.forAgent("Ada L.").store({ key: "a", content: 1 });
    expect(host.requests[0]!.subject).toBe("a2e.default.=QWRhIEwu.memory.store.req");
  });

  it("use the client's tenant and prefix", async () => {
    const { client, bus } = await openFixture({ client: { tenant: "acme", prefix: "mem.v1" } });
    const host = new ScriptedHost(bus, storeAll, "mem.v1");
    host.listen();
    await client.forAgent("bob").store({ key: "a", content: 1 });
    expect(host.requests[0]!.subject).toBe("mem.v1.acme.bob.memory.store.req");
  });

  it.each([
    ["forAgent", ""],
    ["forSession", "s".repeat(129)],
    ["inNamespace", "a//b"],
  ] as const)("%s refuses %j", async (view, value) => {
    const { client } = await openFixture();
    expect(() => client[view](value)).toThrow(TypeError);
  });
});
