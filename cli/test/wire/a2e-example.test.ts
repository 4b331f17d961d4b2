import type { MemoryClient } from "@membus/agent-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { Wire } from "./wire-fixture.js";

describe.each(NATS_SERVERS)("the A2E example over %s", (binary) => {
  let wire: Wire;
  let memory: MemoryClient;

  beforeAll(async () => {
    wire = await Wire.start({ binary });
    memory = await wire.client("alice");
  });
  afterAll(() => wire?.close());

  it("stores a batch", async () => {
    const { stored } = await memory.store([
      { key: { id: "fact1" }, content: { text: "Earth orbits the Sun" }, tier: "semantic" },
      { key: { id: "task1" }, content: { step: 3 }, tier: "working" },
    ]);
    expect(stored).toEqual([{ id: "fact1" }, { id: "task1" }]);
  });

  it("finds by meaning without shared words, and no unrelated entry", async () => {
    const invoice = { key: "invoice", content: { text: "The invoice is due on Friday" } };
    await memory.store({ ...invoice, tier: "semantic" });
    const request = { query: "solar system", tier: "semantic", limit: 5, min_score: 0.3 } as const;
    const { entries, total } = await memory.retrieve(request);
    expect(entries.map(({ key }) => key)).toEqual([{ id: "fact1" }]);
    expect(total).toBe(1);
    expect(entries[0]).toMatchObject({ content: { text: "Earth orbits the Sun" }, source: "alice" });
    expect(entries[0]?.score).toBeGreaterThanOrEqual(0.3);
  });

  it("counts the forgotten entries", async () => {
    await memory.store([
      { key: "draft1", content: 1, tags: ["temp"] },
      { key: "draft2", content: 2, tags: ["temp", "other"] },
      { key: "note", content: 3, tags: ["other"] },
      { key: "draft3", content: 4, tags: ["temp"], tier: "episodic" },
    ]);
    const { deleted, receipt } = await memory.forget({ tags: ["temp"], tier: "working" });
    expect(deleted).toBe(2);
    expect(receipt.by_tier).toEqual({ working: 2 });
    const { entries } = await memory.retrieve({ keys: ["draft1", "draft2", "note", "draft3"] });
    expect(entries.map(({ key }) => key.name).sort()).toEqual(["draft3", "note"]);
  });

  it("remembers and recalls", async () => {
    await memory.remember("user_name", "Alice", { tier: "working", tags: ["identity"] });
    expect(await memory.recall("user_name")).toBe("Alice");
    expect(await memory.recall("nobody")).toBeNull();
    expect(await memory.recall("nobody", "a default")).toBe("a default");
  });

  it("also searches working memory if no tier is named", async () => {
    const { entries, degraded, total_relation } = await memory.retrieve({ query: "user name" });
    expect(degraded).toBeUndefined();
    expect(total_relation).toBe("eq");
    expect(entries[0]).toMatchObject({ key: { name: "user_name" }, tier: "working", content: "Alice" });
  });
});
