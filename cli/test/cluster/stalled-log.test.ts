import { expect, it } from "vitest";
import type { ReportedShard } from "../../src/cluster/read-shards.js";
import { describeShard } from "../../src/cluster/show-status.js";
import { shardFindings } from "../../src/doctor/check-cluster.js";

const shardWith = (stalled: number): ReportedShard => ({
  ...{ shard: 3, host: "a", epoch: 7, pinned: null },
  report: {
    ...{ is_serving: true, problem: null },
    tiers: { episodic: { log_stalled: 0 }, semantic: { log_stalled: stalled } },
  } as unknown as ReportedShard["report"],
});

it("a log that stores nothing is a problem of its shard", () => {
  expect(shardFindings(shardWith(0))).toEqual([]);
  expect(shardFindings(shardWith(1))).toEqual([
    expect.objectContaining({ state: "problem", advice: expect.stringContaining("log of a") }),
  ]);
});

it("the status of a shard shows a log that stores nothing", () => {
  expect(describeShard(shardWith(0))).toMatch(/log streams$/);
  expect(describeShard(shardWith(1))).toMatch(/, its log accepts no stores$/);
});
