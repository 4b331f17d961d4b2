import { type ListItem, MemoryError, type Message } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const item = (value: ListItem["value"], count = 1, newest = 1): ListItem => ({
  value,
  count,
  newest,
  bytes: 10,
});

/** Returns a plugin that lists these items. */
function listing(items: readonly ListItem[]): MapPlugin & Required<Pick<MemoryPlugin, "onList">> {
  return Object.assign(new MapPlugin({ list: true }), { onList: async () => ({ items }) });
}

async function start(working: readonly ListItem[], semantic = listing([])) {
  const fixture = await HostFixture.start({ plugins: { working: listing(working), semantic } });
  const list = (fields: object) => fixture.ask("memory/list/req", fields as Message);
  return { fixture, list };
}

describe("list", () => {
  it("adds up the counts of the tiers, and keeps the latest time", async () => {
    const { list } = await start([item("a", 2, 5), item("b")], listing([item("a", 3, 4), item(1)]));
    expect(await list({ field: "tags" })).toMatchObject({
      type: "memory/list/resp",
      items: [item(1), item("a", 5, 5), item("b")].map((one) =>
        one.value === "a" ? { ...one, bytes: 20 } : one,
      ),
      total: 3,
      total_relation: "eq",
    });
  });

  it("names a tier that fails, and fails if a tier finds an error in the request", async () => {
    const semantic = listing([]);
    const { list } = await start([item("a")], semantic);
    const fail = (code: "unavailable" | "too_large") => {
      semantic.onList = () =>
        Promise.reject(new MemoryError(code, "no", { limit: "listValues", max: 1, got: 2 }));
    };
    fail("unavailable");
    expect(await list({ field: "tags" })).toMatchObject({
      items: [item("a")],
      total_relation: "gte",
      degraded: [{ tier: "semantic", code: "unavailable", message: "no" }],
    });
    fail("too_large");
    expect(await list({ field: "tags" })).toMatchObject({ type: "error", code: "too_large" });
  });

  it("pages through many values in every order, each once", async () => {
    const count = 9_500;
    const made = Array.from({ length: count }, (_, at) => item(`v${at}`, 1 + (at % 7), at % 11));
    const { list } = await start(made);
    for (const order of ["name", "count", "newest"]) {
      const seen = new Set<unknown>();
      for (let cursor: unknown; ; ) {
        const page = await list({ field: "tags", order, limit: 1_000, cursor });
        for (const { value } of page.items as ListItem[]) seen.add(value);
        cursor = page.cursor;
        if (cursor === undefined) break;
      }
      expect(seen.size).toBe(count);
    }
  });

  it("continues after values that are too long for a cursor", async () => {
    const long = "\ud83d".repeat(4_000);
    const { list } = await start(["b", "a", "c"].map((end) => item(`${"x".repeat(4_000)}${end}`)));
    const first = await list({ field: "source", limit: 2 });
    expect((first.cursor as string).length).toBeLessThan(1_000);
    const rest = await list({ field: "source", limit: 2, cursor: first.cursor });
    const values = [first, rest].flatMap(({ items }) =>
      (items as ListItem[]).map(({ value }) => `${value}`.at(-1)),
    );
    expect(values.sort()).toEqual(["a", "b", "c"]);
    expect(await list({ field: "source", cursor: long })).toMatchObject({ type: "error" });
  });

  it("is refused by a host with a rule against the namespaces", async () => {
    const allowNamespace = (_: object, namespace: string, operation: string) =>
      !(operation === "list" && namespace === "**");
    const fixture = await HostFixture.start({ dependencies: { allowNamespace } });
    const answer = await fixture.ask("memory/list/req", { namespace: "**" });
    expect(answer).toMatchObject({ code: "unauthorized" });
  });
});
