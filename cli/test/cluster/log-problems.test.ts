import { expect, it } from "vitest";
import type { ReportedShard } from "../../src/cluster/read-shards.js";
import { describeShard } from "../../src/cluster/show-status.js";
import {
  hostFindings,
  serverFindings,
  shardFindings,
  statusFindings,
} from "../../src/doctor/check-cluster.js";

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

/** A shard with a log on servers that are down. */
const shardWithout = (...servers: string[]): ReportedShard => ({
  ...shardWith(0),
  report: {
    ...{ is_serving: true, problem: null },
    tiers: {
      working: {},
      episodic: { backlog_rows: 4, log_segments: 2, log_next_seq: 12, flushed_seq: 8 },
      semantic: { ...{ log_next_seq: 1, flushed_seq: 0 }, log_servers_down_names: servers.join(", ") },
    },
  } as unknown as ReportedShard["report"],
});

it("a server that stores the bucket or a log and is down is a problem, once", () => {
  const servers = ["n1", "n2", "n3"].map((server) => ({ server, isCurrent: server !== "n3" }));
  const shards = [shardWithout(), shardWithout("n3", "n5"), { ...shardWith(0), report: null }];
  expect(serverFindings({ servers, shards })).toMatchObject([
    { state: "problem", found: "n3 is down or late", advice: expect.stringMatching(/^start it: /) },
    { state: "problem", found: "n5 is down or late" },
  ]);
  expect(serverFindings({ servers: servers.slice(0, 2), shards: [shardWithout()] })).toEqual([]);
});

it("the status of a shard shows the lag of its flushes, servers that are down, and erasures that wait", () => {
  const lag = "serving, 4 rows to flush, 3 log records since the last flush, 2 log streams";
  expect(describeShard(shardWithout())).toBe(`  3: a, epoch 7, ${lag}`);
  expect(describeShard(shardWithout("n3", "n5"))).toBe(`  3: a, epoch 7, ${lag}, its log lacks n3 and n5`);
  const waiting = shardWithout("n3");
  const tiers = { ...waiting.report!.tiers, episodic: { log_waits_for_server: 1 } };
  expect(describeShard({ ...waiting, report: { ...waiting.report!, tiers } })).toMatch(
    /, its log lacks n3, erasures wait for a nats-server$/,
  );
});

it("late hosts are a problem if no other host runs, and healthy servers are then to be restarted", () => {
  const host = (name: string, state: "running" | "late" | "stopped") =>
    ({ host: name, state, renewedS: 20, shards: 0 }) as const;
  const servers = ["n2", "n1", "n3"].map((server) => ({ server, isCurrent: true }));
  const late = [host("a", "late"), host("b", "late"), host("c", "stopped")];
  expect(hostFindings({ hosts: late, servers })).toMatchObject([
    {
      state: "problem",
      found: expect.stringMatching(/^a, b: /),
      advice: expect.stringMatching(/restart nats-server n2, which leads/),
    },
  ]);
  const oneDown = servers.map((server, index) => ({ ...server, isCurrent: index !== 2 }));
  expect(hostFindings({ hosts: late, servers: oneDown })[0]!.advice).not.toContain("restart");
  expect(hostFindings({ hosts: [...late, host("d", "running")], servers })).toMatchObject([
    { state: "ok", found: "d" },
    { state: "warning" },
  ]);
  expect(hostFindings({ hosts: [host("c", "stopped")], servers })).toMatchObject([
    { state: "problem", found: "no host takes shards" },
  ]);
});

it("shards without an owner are named only while a host runs", () => {
  const checksWith = (state: "running" | "late" | "stopped") => {
    const hosts = [{ host: "a", state, renewedS: 20, shards: 0 }];
    const shards = [{ ...shardWith(0), host: null, report: null }];
    return statusFindings({ hosts, shards, servers: [] }).map(({ check }) => check);
  };
  expect(checksWith("running")).toEqual(["hosts", "shard 3"]);
  expect([checksWith("late"), checksWith("stopped")]).toEqual([["hosts"], ["hosts"]]);
});
