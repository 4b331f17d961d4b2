import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { indexing } from "../src/table/indexing.js";

it("two indexes at most are built at a time, because LanceDB has memory for three", async () => {
  const ends: (() => void)[] = [];
  const build = () => new Promise<void>((resolve) => ends.push(resolve));
  const builds = Promise.all(Array.from({ length: 5 }, () => indexing(build)));
  for (const startedCount of [2, 3, 4, 5]) {
    await nextTurn();
    expect(ends).toHaveLength(startedCount);
    ends[startedCount - 2]!();
  }
  ends[4]!();
  await builds;
});
