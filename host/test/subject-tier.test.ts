import { createLruPlugin } from "@membus/plugin-lru";
import { describe, expect, it } from "vitest";
import { contents, decoded, HostFixture } from "./host-fixture.js";

let lastId = 0;

async function started() {
  const fixture = await HostFixture.start({
    plugins: { working: createLruPlugin(), episodic: createLruPlugin(), semantic: createLruPlugin() },
  });
  const ask = async (operation: string, fields: Record<string, unknown>) => {
    const message = { type: `memory/${operation.split(".")[0]}/req`, id: `tiered-${++lastId}`, ...fields };
    return decoded(await fixture.send(`a2e.default.alice.memory.${operation}.req`, message));
  };
  return { fixture, ask };
}

const entry = (key: string, tier?: string) => ({ key, content: key, ...(tier && { tier }) });
const REFUSED = { type: "error", code: "unauthorized", detail: { path: "tier" } };

describe("a tier in the subject", () => {
  it("is the tier of entries that name none, and refuses entries of other tiers one by one", async () => {
    const { fixture, ask } = await started();
    const entries = [entry("a"), entry("b", "semantic"), entry("c", "episodic"), entry("d", "short")];
    expect(await ask("store.semantic", { entries })).toMatchObject({
      stored: [{ name: "a" }, { name: "b" }],
      errors: [
        { index: 2, code: "unauthorized", detail: { path: "tier", tier: "episodic" } },
        { index: 3, code: "schema_violation" },
      ],
    });
    expect(contents(await fixture.retrieve({ tier: "semantic", order: "oldest" }))).toEqual(["a", "b"]);
    expect(await fixture.retrieve({ tier: "episodic" })).toMatchObject({ total: 0 });
    expect(fixture.audit[0]).toMatchObject({ tiers: ["episodic", "semantic"] });
  });

  it("limits a retrieve, list, forget and status to this tier", async () => {
    const { fixture, ask } = await started();
    await fixture.store([entry("a", "working"), entry("b", "semantic")], { id: "both" });
    expect(contents(await ask("retrieve.semantic", {}))).toEqual(["b"]);
    expect(await ask("list.semantic", { field: "key.name" })).toMatchObject({ items: [{ value: "b" }] });
    expect(await ask("status.semantic", { request_id: "both" })).toMatchObject({ receipts: [{ index: 1 }] });
    expect(await ask("status.episodic", { request_id: "both" })).toMatchObject({ code: "memory_not_found" });
    for (const [operation, fields] of [
      ["retrieve", {}],
      ["list", {}],
      ["forget", { all: true }],
    ] as const) {
      expect(await ask(`${operation}.semantic`, { ...fields, tier: "working" })).toMatchObject(REFUSED);
    }
    expect(await ask("forget.semantic", { keys: ["a", "b"] })).toMatchObject({ deleted: 1 });
    expect(contents(await fixture.retrieve())).toEqual(["a"]);
    expect(fixture.audit.at(-2)).toMatchObject({ type: "memory/forget/req", tiers: ["semantic"] });
  });

  it("makes a separate operation of the same id, and of a request that names the same tier", async () => {
    const { fixture, ask } = await started();
    const id = "once";
    await fixture.store([entry("a")], { id });
    expect(await ask("store.semantic", { id, entries: [entry("a")] })).toMatchObject({
      stored: [{ name: "a" }],
      errors: [],
    });
    const forget = { id: "gone", tier: "working", keys: ["a"] };
    expect(await fixture.forget(forget)).toMatchObject({ deleted: 1 });
    await fixture.store([entry("a")]);
    expect(await ask("forget.working", forget)).toMatchObject({ deleted: 1 });
    expect(await fixture.retrieve({ tier: "working" })).toMatchObject({ total: 1 });
  });

  it("is refused if it is not a tier", async () => {
    const { ask } = await started();
    expect(await ask("store.short", { entries: [entry("a")] })).toMatchObject({ code: "invalid_message" });
  });
});
