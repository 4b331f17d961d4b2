import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { type Scope, scopeId } from "@membus/protocol";
import { expect, it } from "vitest";
import { indexBehind } from "../src/lifecycle/residency/index-behind.js";
import type { PartitionRegistry } from "../src/lifecycle/residency/partition-registry.js";

const SLICE_S = 0.004;
const scope = { tier: "episodic", tenant: "acme", agent: "alice", namespace: "default" } as const;

/** Partitions of so many slices each, every one of which takes some time. */
function unindexed(slices: number, scopes: readonly Scope[] = [scope]) {
  let now = 0;
  const clock = { now: () => now, after: () => () => {} };
  const residents = new Map(
    scopes.map((each) => {
      const resident = {
        isBeingIndexed: false,
        hasLeft: false,
        left: slices,
        partition: {
          indexSome() {
            now += SLICE_S;
            return --resident.left === 0;
          },
        },
      };
      return [scopeId(each), resident] as const;
    }),
  );
  const [resident] = residents.values();
  for (const [id, each] of residents) Object.assign(each, { id });
  const peek = (id: string) => residents.get(id);
  const registry = { peek, measure() {} } as unknown as PartitionRegistry;
  const index = (of: readonly Scope[]) => indexBehind(registry, of, clock);
  const pass = (seconds: number): void => {
    now += seconds;
  };
  const leaveRam = (): void => {
    for (const each of residents.values()) each.hasLeft = true;
    residents.clear();
  };
  const leftCount = () => [...residents.values()].reduce((sum, { left }) => sum + left, 0);
  return { index, resident: resident!, pass, leftCount, leaveRam };
}

it("takes as long for a step as what came before it, a slice at least and a tenth of a second at most", async () => {
  const { index, resident, pass, leftCount } = unindexed(1_000);
  const steps: number[] = [];
  index([scope]);
  for (const gapS of [0, 0.0101, 0.05, 3]) {
    const before = leftCount();
    pass(gapS);
    await nextTurn();
    steps.push(before - leftCount());
  }
  expect(steps).toEqual([1, 3, 13, 25]);
  expect(resident.isBeingIndexed).toBe(true);
  index([scope]);
  await nextTurn();
  expect(leftCount()).toBe(1_000 - 42 - 1);
});

it("ends when all is indexed", async () => {
  const { index, resident, leftCount } = unindexed(3);
  index([scope]);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect([leftCount(), resident.isBeingIndexed]).toEqual([0, false]);
});

it("ends for a partition that left RAM", async () => {
  const { index, resident, leaveRam } = unindexed(1_000);
  index([scope]);
  await nextTurn();
  leaveRam();
  const { left } = resident;
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect([resident.left, resident.isBeingIndexed]).toEqual([left, false]);
});

it("goes on while nothing else happens", async () => {
  const { index, leftCount } = unindexed(100);
  index([scope]);
  await delay(500);
  expect(leftCount()).toBe(0);
});

it("does not take the steps of other partitions for what came before", async () => {
  const scopes = ["a", "b", "c"].map((namespace) => ({ ...scope, namespace }));
  const { index, leftCount } = unindexed(100, scopes);
  index(scopes);
  for (let turn = 1; turn <= 10; turn++) {
    await nextTurn();
    expect(leftCount()).toBe(300 - 3 * turn);
  }
});
