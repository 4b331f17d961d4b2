import { expect, it } from "vitest";
import { sumStats } from "../src/serving/sum-stats.js";

it("statistics of shards are re-indexed as long as one shard is", () => {
  const shard = (reindex_state: string, generation: number) => ({ reindex_state, generation });
  const all = [shard("done", 2), shard("running", 3), shard("paused", 2)];
  expect(sumStats(all)).toEqual({ reindex_state: "running", generation: 3 });
  expect(sumStats([shard("done", 2), shard("done", 2)])).toEqual({ reindex_state: "done", generation: 2 });
});

it("names the servers that are down of the logs of all shards", () => {
  const shard = (log_servers_down: number, log_servers_down_names: string) => ({
    log_servers_down,
    log_servers_down_names,
  });
  const all = [shard(0, ""), shard(2, "n3, n4"), shard(2, "n1, n3")];
  expect(sumStats(all)).toEqual({ log_servers_down: 4, log_servers_down_names: "n1, n3, n4" });
});
