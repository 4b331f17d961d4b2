import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { type Scope, scopeId } from "@membus/protocol";
import { expect, it } from "vitest";
import { indexInBackground } from "../src/lifecycle/residency/background-indexing.js";
import type { PartitionRegistry } from "../src/lifecycle/residency/partition-registry.js";

const SLICE_S = 0.004;
const scope = { tier: "episodic", tenant: "acme", agent: "alice", namespace: "default" } as const;

/** Partitions with a number of unindexed slices. Each slice takes some time. */
function unindexed(slices: number, scopes: readonly Scope[] = [scope]) {
  let now = 0;
  const clock = { now: () => now, after: () => () => {} };
  const partitions = new Map(
    scopes.map((each) => {
      const loaded = {
        isIndexing: false,
        isUnloaded: false,
        left: slices,
        partition: {
          indexSome() {
            now += SLICE_S;
            return --loaded.left === 0;
          },
        },
      };
      return [scopeId(each), loaded] as const;
    }),
  );
  const [loaded] = partitions.values();
  for (const [id, each] of partitions) Object.assign(each, { id });
  const peek = (id: string) => partitions.get(id);
  const registry = { peek, measure() {} } as unknown as PartitionRegistry;
  const index = (of: readonly Scope[]) => indexInBackground(registry, of, clock);
  const pass = (seconds: number): void => {
    now += seconds;
  };
  const leaveRam = (): void => {
    for (const each of partitions.values()) each.isUnloaded = true;
    partitions.clear();
  };
  const leftCount = () => [...partitions.values()].reduce((sum, { left }) => sum + left, 0);
  return { index, loaded: loaded!, pass, leftCount, leaveRam };
}

it("takes as long for a step as the work before it, at least a slice and at most a tenth of a second", async () => {
  const { index, loaded, pass, leftCount } = unindexed(1_000);
  const steps: number[] = [];
  index([scope]);
  for (const gapS of [0, 0.0101, 0.05, 3]) {
    const before = leftCount();
    pass(gapS);
    await nextTurn();
    steps.push(before - leftCount());
  }
  expect(steps).toEqual([1, 3, 13, 25]);
  expect(loaded.isIndexing).toBe(true);
  index([scope]);
  await nextTurn();
  expect(leftCount()).toBe(1_000 - 42 - 1);
});

it("ends when everything is indexed", async () => {
  const { index, loaded, leftCount } = unindexed(3);
  index([scope]);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect([leftCount(), loaded.isIndexing]).toEqual([0, false]);
});

it("ends for an unloaded partition", async () => {
  const { index, loaded, leaveRam } = unindexed(1_000);
  index([scope]);
  await nextTurn();
  leaveRam();
  const { left } = loaded;
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect([loaded.left, loaded.isIndexing]).toEqual([left, false]);
});

it("continues without other events", async () => {
  const { index, leftCount } = unindexed(100);
  index([scope]);
  await delay(500);
  expect(leftCount()).toBe(0);
});

it("does not count the steps of other partitions as work before a step", async () => {
  const scopes = ["a", "b", "c"].map((namespace) => ({ ...scope, namespace }));
  const { index, leftCount } = unindexed(100, scopes);
  index(scopes);
  for (let turn = 1; turn <= 10; turn++) {
    await nextTurn();
    expect(leftCount()).toBe(300 - 3 * turn);
  }
});
