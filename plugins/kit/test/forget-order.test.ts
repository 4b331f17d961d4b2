import { describe, expect, it } from "vitest";
import { ForgetOrder, isLater, type RunningCascade } from "../src/operations/forget-order.js";
import { filterableEntry } from "../src/operations/retrieve/entry.js";
import { scope, selector } from "./kit-requests.js";
import { testRow } from "./test-row.js";

const ALL = { all: [] };
const entry = () => filterableEntry(testRow({ facets: { tags: ["temp"] } }));

describe("the order of stores and forgets", () => {
  it("applies a forget to stores that started before it, and not to later ones", () => {
    const order = new ForgetOrder();
    const before = order.storeStarted();
    order.forgetStarted(selector(), ALL);
    const after = order.storeStarted();
    expect(order.forgotten(before, scope(), entry)).toBe(true);
    expect(order.forgotten(after, scope(), entry)).toBe(false);
  });

  it("depends on scope and filter", () => {
    const order = new ForgetOrder();
    const store = order.storeStarted();
    order.forgetStarted(selector({ namespace: "a/**" }), ALL);
    order.forgetStarted(selector({ agent: "bob" }), ALL);
    order.forgetStarted(selector(), { field: "tags", op: "eq", value: "other" });
    expect(order.forgotten(store, scope(), entry)).toBe(false);
    expect(order.forgotten(store, scope({ namespace: "a/b" }), entry)).toBe(true);
    order.forgetStarted(selector(), { field: "tags", op: "eq", value: "temp" });
    expect(order.forgotten(store, scope(), entry)).toBe(true);
  });

  it("remembers a forget while an earlier store is running", () => {
    const order = new ForgetOrder();
    const first = order.storeStarted();
    const second = order.storeStarted();
    order.forgetStarted(selector(), ALL);
    order.storeEnded(first);
    expect(order.forgotten(second, scope(), entry)).toBe(true);
    order.storeEnded(second);
    expect(order.forgotten(second, scope(), entry)).toBe(false);
    order.forgetStarted(selector(), ALL);
    expect(order.forgotten(0, scope(), entry)).toBe(false);
  });

  it("starts a cascade when the earlier stores have ended, and reports the writes of later ones", async () => {
    const order = new ForgetOrder();
    const before = order.storeStarted();
    let turn: RunningCascade | undefined;
    const began = order.cascadeStarted().then((begun) => {
      turn = begun;
    });
    const after = order.storeStarted();
    order.stored(before, "a", 1);
    order.stored(after, "a", 2);
    order.storeEnded(after);
    await Promise.resolve();
    expect(turn).toBeUndefined();
    order.storeEnded(before);
    await began;
    const version = (revision: number) => ({ loaded: { id: "a" }, revision });
    expect([1, 2].map((revision) => isLater(turn!, version(revision)))).toEqual([false, true]);
    order.cascadeEnded(turn!);
    order.stored(order.storeStarted(), "a", 3);
    expect(isLater(turn!, version(3))).toBe(false);
  });
});
