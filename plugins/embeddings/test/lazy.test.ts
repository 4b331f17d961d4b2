import { expect, it } from "vitest";
import { lazy } from "../src/lazy.js";

it("loads once, on first use, for all callers", async () => {
  let calls = 0;
  const load = lazy(async () => {
    calls += 1;
    return { calls };
  });
  expect(calls).toBe(0);
  const loaded = await Promise.all([load(), load(), load()]);
  expect(loaded[1]).toBe(loaded[0]);
  expect(await load()).toBe(loaded[0]);
  expect(calls).toBe(1);
});

it("fails all waiting callers and retries on the next use", async () => {
  let calls = 0;
  const load = lazy(async () => {
    calls += 1;
    if (calls === 1) throw new Error("first");
    return calls;
  });
  const settled = await Promise.allSettled([load(), load()]);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await load()).toBe(2);
});
