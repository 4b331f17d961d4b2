import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { indexBehind } from "../src/index-behind.js";
import type { Tier } from "../src/tier.js";

const STRETCH_S = 0.004;
const scope = { tier: "episodic", tenant: "acme", agent: "alice", namespace: "default" } as const;

/** A partition of so many stretches, each of which takes some time. */
function unindexed(stretches: number) {
  let now = 0;
  let left = stretches;
  const resident = {
    isBeingIndexed: false,
    partition: {
      indexSome() {
        now += STRETCH_S;
        return --left === 0;
      },
    },
  };
  const tier = { clock: { now: () => now }, registry: { peek: () => resident } } as unknown as Tier;
  const pass = (seconds: number): void => {
    now += seconds;
  };
  return { tier, resident, pass, leftCount: () => left };
}

it("takes as long for a step as what came before it, a stretch at least and a tenth of a second at most", async () => {
  const { tier, resident, pass, leftCount } = unindexed(1_000);
  const steps: number[] = [];
  indexBehind(tier, [scope]);
  for (const gapS of [0, 0.0101, 0.05, 3]) {
    const before = leftCount();
    pass(gapS);
    await nextTurn();
    steps.push(before - leftCount());
  }
  expect(steps).toEqual([1, 3, 13, 25]);
  expect(resident.isBeingIndexed).toBe(true);
  indexBehind(tier, [scope]);
  await nextTurn();
  expect(leftCount()).toBe(1_000 - 42 - 1);
});

it("ends when all is indexed", async () => {
  const { tier, resident, leftCount } = unindexed(3);
  indexBehind(tier, [scope]);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect([leftCount(), resident.isBeingIndexed]).toEqual([0, false]);
});
