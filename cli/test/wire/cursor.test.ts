import type { MemoryClient, RetrieveRequest } from "@membus/agent-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { ask } from "./bare-request.js";
import { Wire } from "./wire-fixture.js";

const PAGE: RetrieveRequest = { tier: "episodic", order: "oldest", limit: 2 };

describe("a cursor over the wire", () => {
  let wire: Wire;
  let alice: MemoryClient;
  let cursor: string;

  beforeAll(async () => {
    wire = await Wire.start({ binary: NATS_SERVERS[0]! });
    alice = await wire.client("alice");
    const entries = [1, 2, 3, 4, 5].map((n) => ({ key: { n }, content: n, tier: "episodic" as const }));
    await alice.store(entries.map((entry, n) => ({ ...entry, occurred_at: 1_000 + n })));
    await alice.forAgent("bob").store(entries.slice(0, 3).map((entry) => ({ ...entry, content: "bob's" })));
    cursor = (await alice.retrieve(PAGE)).cursor!;
  });
  afterAll(() => wire?.close());

  it("continues its own request, with any limit, in either encoding", async () => {
    const rest = await alice.retrieve({ ...PAGE, limit: 10, cursor });
    expect(rest.entries.map(({ content }) => content)).toEqual([3, 4, 5]);
    expect(rest.total).toBe(5);
    const packing = await wire.client("alice", { encoding: "msgpack" });
    expect((await packing.retrieve({ ...PAGE, cursor })).entries.map(({ content }) => content)).toEqual([
      3, 4,
    ]);
  });

  it.each([
    ["tier", { tier: "working" }],
    ["order", { order: "newest" }],
    ["criteria", { tags: ["a"] }],
    ["namespace", { namespace: "other" }],
    ["session", { session_id: "s" }],
    ["query", { query: "a", order: "relevance" }],
  ])("is rejected for a request with another %s", async (_what, change) => {
    const nats = await wire.connection();
    const request = { namespace: "default", ...PAGE, ...change, cursor };
    expect(await ask(nats, "alice", "memory/retrieve/req", request)).toMatchObject({
      code: "schema_violation",
      message: "the cursor belongs to a request with other criteria",
    });
  });

  it("returns only the caller's own entries if it belongs to another agent", async () => {
    const { entries, total } = await alice.forAgent("bob").retrieve({ ...PAGE, limit: 10, cursor });
    expect(total).toBe(3);
    for (const { author, content } of entries) expect([author, content]).toEqual(["bob", "bob's"]);
  });
});
