import type { HostHealth } from "@membus/gateway/inspector-api";
import { expect, it } from "vitest";
import { figuresOf, figuresText, unservedText } from "../src/views/host-figures.js";

function host(tiers: HostHealth["tiers"], requests = 0): HostHealth {
  return {
    ...{ id: "h1", version: "0.1.0", state: "serving", started: "2026-01-01T00:00:00.000Z" },
    endpoints: [
      { name: "store", requests, errors: 1, total_ms: 5 },
      { name: "list", requests: 1, errors: 0, total_ms: 5 },
    ],
    ...{ in_flight: {}, process: {}, dropped: {}, refused: {}, tiers },
  };
}

it("counts a shard of a host once, and only if all tiers have it", () => {
  const opening = host({ working: { shards: 2 }, episodic: { shards: 1 }, semantic: { shards: 2 } });
  const open = host({ working: { shards: 3 }, episodic: { shards: 3 } });
  expect([figuresOf([opening]).shards, figuresOf([opening, open]).shards]).toEqual([1, 4]);
});

it("adds the figures of all tiers of all hosts up", () => {
  const first = host({ working: { calls_waiting: 1 }, episodic: { calls_waiting: 2, backlog_rows: 40 } }, 10);
  const second = host({ episodic: { calls_waiting: 0, backlog_rows: 2 } }, 20);
  const sums = figuresOf([first, second]);
  expect(sums).toEqual({ shards: undefined, requests: 32, errors: 2, waiting: 3, backlog: 42 });
  expect(figuresText(sums)).toBe("32 requests, 2 errors, 3 waiting, 42 to flush");
});

it("leaves out figures that no tier has", () => {
  expect(figuresOf([host({ working: { plugin: "lru" } })])).toMatchObject({
    waiting: undefined,
    backlog: undefined,
  });
});

it("says how many shards no host serves", () => {
  const tiers = (episodic: number) => ({
    working: { shards: 2, shard_count: 4 },
    episodic: { shards: episodic, shard_count: 4 },
  });
  const [opening, open] = [host(tiers(1)), host(tiers(2))];
  expect(unservedText([open, opening])).toBe("no answering host serves 1 of 4 shards");
  expect(unservedText([open])).toBe("no answering host serves 2 of 4 shards");
  expect(unservedText([open, open])).toBeUndefined();
});

it("knows no shards outside a cluster, or without an answer", () => {
  expect([unservedText([host({ working: { plugin: "lru" } })]), unservedText([])]).toEqual([
    undefined,
    undefined,
  ]);
});
