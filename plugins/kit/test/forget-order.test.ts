import { describe, expect, it } from "vitest";
import { ForgetOrder } from "../src/operations/forget-order.js";
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
});
