import { describe, expect, it } from "vitest";
import { type CascadeTurn, ForgetOrder, isLater } from "../src/operations/forget-order.js";
import { filterableEntry } from "../src/operations/retrieve/entry.js";
import { scope, selector } from "./kit-requests.js";
import { testRow } from "./test-row.js";

const ALL = { all: [] };
const entry = () => filterableEntry(testRow({ facets: { tags: ["temp"] } }));

describe("the order of stores and forgets", () => {
  it("lets a forget take the stores that began before it, and no later one", () => {
    const order = new ForgetOrder();
    const before = order.storeBegan();
    order.forgetBegan(selector(), ALL);
    const after = order.storeBegan();
    expect(order.forgotten(before, scope(), entry)).toBe(true);
    expect(order.forgotten(after, scope(), entry)).toBe(false);
  });

  it("is by scope and filter", () => {
    const order = new ForgetOrder();
    const store = order.storeBegan();
    order.forgetBegan(selector({ namespace: "a/**" }), ALL);
    order.forgetBegan(selector({ agent: "bob" }), ALL);
    order.forgetBegan(selector(), { field: "tags", op: "eq", value: "other" });
    expect(order.forgotten(store, scope(), entry)).toBe(false);
    expect(order.forgotten(store, scope({ namespace: "a/b" }), entry)).toBe(true);
    order.forgetBegan(selector(), { field: "tags", op: "eq", value: "temp" });
    expect(order.forgotten(store, scope(), entry)).toBe(true);
  });

  it("remembers a forget while a store that began before it is open", () => {
    const order = new ForgetOrder();
    const first = order.storeBegan();
    const second = order.storeBegan();
    order.forgetBegan(selector(), ALL);
    order.storeEnded(first);
    expect(order.forgotten(second, scope(), entry)).toBe(true);
    order.storeEnded(second);
    expect(order.forgotten(second, scope(), entry)).toBe(false);
    order.forgetBegan(selector(), ALL);
    expect(order.forgotten(0, scope(), entry)).toBe(false);
  });

  it("has a cascade begin when the stores before it have ended, and tell what later ones wrote", async () => {
    const order = new ForgetOrder();
    const before = order.storeBegan();
    let turn: CascadeTurn | undefined;
    const began = order.cascadeBegan().then((begun) => {
      turn = begun;
    });
    const after = order.storeBegan();
    order.stored(before, "a", 1);
    order.stored(after, "a", 2);
    order.storeEnded(after);
    await Promise.resolve();
    expect(turn).toBeUndefined();
    order.storeEnded(before);
    await began;
    const version = (revision: number) => ({ resident: { id: "a" }, revision });
    expect([1, 2].map((revision) => isLater(turn!, version(revision)))).toEqual([false, true]);
    order.cascadeEnded(turn!);
    order.stored(order.storeBegan(), "a", 3);
    expect(isLater(turn!, version(3))).toBe(false);
  });
});
