import { expect, it } from "vitest";
import { hostLines } from "../src/stats/host-lines.js";

const working = { plugin: "lru", serving: true, shards: 1, lru_entries: 2, lru_bytes: 900 };
const episodic = { plugin: "lancedb", shards: 1, partitions: 3, backlog_rows: 5 };

it("shows the figures of a host under its id", () => {
  const figures = { plugin: "lru", lru_entries: 2, lru_bytes: 900 };
  expect(hostLines([{ id: "h1", tiers: { working: figures } }])).toEqual([
    "host h1  working  plugin lru, lru_entries 2",
  ]);
});

it("shows several hosts by name, and adds their figures up", () => {
  const hosts = [
    { id: "h2", metadata: { cluster_host: "a" }, tiers: { working: { ...working, shards: 3 } } },
    { id: "h1", metadata: { cluster_host: "b" }, tiers: { working, episodic } },
  ];
  expect(hostLines(hosts)).toEqual([
    "host a  working  plugin lru, shards 3, lru_entries 2",
    "host b  working  plugin lru, shards 1, lru_entries 2",
    "host b  episodic  plugin lancedb, shards 1, partitions 3, backlog_rows 5",
    "all hosts  working  shards 4, lru_entries 4",
    "all hosts  episodic  shards 1, partitions 3, backlog_rows 5",
  ]);
});

it("shows no tiers of a host that reports none", () => {
  expect(hostLines([{ id: "h1" }])).toEqual([]);
});
