import { describe, expect, it } from "vitest";
import { ForgetOrder } from "../src/operations/forget-order.js";
import { filterSubject } from "../src/operations/retrieve/entry.js";
import { scope, selector } from "./kit-requests.js";
import { testRow } from "./test-row.js";

const ALL = { all: [] };
const subject = () => filterSubject(testRow({ facets: { tags: ["temp"] } }));

describe("the order of stores and forgets", () => {
  it("lets a forget take the stores that began before it, and no later one", () => {
    const order = new ForgetOrder();
    const before = order.storeBegan();
    order.forgetBegan(selector(), ALL);
    const after = order.storeBegan();
    expect(order.forgotten(before, scope(), subject)).toBe(true);
    expect(order.forgotten(after, scope(), subject)).toBe(false);
  });

  it("is by scope and filter", () => {
    const order = new ForgetOrder();
    const store = order.storeBegan();
    order.forgetBegan(selector({ namespace: "a/**" }), ALL);
    order.forgetBegan(selector({ agent: "bob" }), ALL);
    order.forgetBegan(selector(), { field: "tags", op: "eq", value: "other" });
    expect(order.forgotten(store, scope(), subject)).toBe(false);
    expect(order.forgotten(store, scope({ namespace: "a/b" }), subject)).toBe(true);
    order.forgetBegan(selector(), { field: "tags", op: "eq", value: "temp" });
    expect(order.forgotten(store, scope(), subject)).toBe(true);
  });

  it("remembers a forget while a store that began before it is open", () => {
    const order = new ForgetOrder();
    const first = order.storeBegan();
    const second = order.storeBegan();
    order.forgetBegan(selector(), ALL);
    order.storeEnded(first);
    expect(order.forgotten(second, scope(), subject)).toBe(true);
    order.storeEnded(second);
    expect(order.forgotten(second, scope(), subject)).toBe(false);
    order.forgetBegan(selector(), ALL);
    expect(order.forgotten(0, scope(), subject)).toBe(false);
  });
});
