import type { Health } from "@membus/gateway/inspector-api";
import { describe, expect, it } from "vitest";
import {
  addSample,
  operationLines,
  processLine,
  ratesBetween,
  tierLines,
} from "../src/views/health/health-samples.js";

interface Store {
  readonly requests: number;
  readonly errors?: number;
  readonly total_ms?: number;
}

function sample(at: number, store: Store, id = "h1"): Health {
  const { requests, errors = 0, total_ms = 0 } = store;
  const host = {
    id,
    version: "0.1.0",
    state: "serving",
    started: "2026-01-01T00:00:00.000Z",
    endpoints: [{ name: "store", requests, errors, total_ms }],
    in_flight: {},
    process: { rss_bytes: 1_048_576 * at },
    dropped: {},
    refused: {},
    tiers: { working: { calls_waiting: at }, semantic: { calls_waiting: 0, backlog_rows: 7 } },
  };
  return { at, hosts: [host] };
}

describe("rates", () => {
  it("are differences per second", () => {
    const before = sample(10, { requests: 100, errors: 4, total_ms: 50 });
    const now = sample(12, { requests: 120, errors: 5, total_ms: 90 });
    expect(ratesBetween(before, now, "h1")).toEqual([
      { name: "store", requestsPerS: 10, errorsPerS: 0.5, meanMs: 2 },
    ]);
  });

  it("have no latency without requests", () => {
    const [rate] = ratesBetween(sample(10, { requests: 3 }), sample(12, { requests: 3 }), "h1");
    expect(rate).toEqual({ name: "store", requestsPerS: 0, errorsPerS: 0, meanMs: null });
  });

  it.each([
    ["of the first sample", undefined, sample(12, { requests: 3 })],
    ["of a restarted host", sample(10, { requests: 9 }), sample(12, { requests: 3 })],
    ["of a new host", sample(10, { requests: 1 }, "h2"), sample(12, { requests: 3 })],
    ["of a missing host", sample(10, { requests: 1 }), sample(12, { requests: 3 }, "h2")],
  ])("are empty %s", (_, before, now) => {
    expect(ratesBetween(before, now, "h1")).toEqual([]);
  });
});

describe("samples", () => {
  it("are kept for five minutes", () => {
    let samples: readonly Health[] = [];
    for (let at = 1; at <= 200; at++) samples = addSample(samples, sample(at, { requests: at }));
    expect([samples.length, samples[0]!.at, samples.at(-1)!.at]).toEqual([150, 51, 200]);
  });

  it("count a repeated response once", () => {
    const first = addSample([], sample(5, { requests: 1 }));
    expect(addSample(first, sample(5, { requests: 1 }))).toBe(first);
  });

  it("become lines with gaps for missing values", () => {
    const samples = [
      sample(10, { requests: 0 }),
      sample(12, { requests: 4, total_ms: 8 }),
      sample(14, { requests: 4, total_ms: 8 }),
    ];
    expect(operationLines(samples, "h1", ({ meanMs }) => meanMs)).toEqual([
      { label: "store", values: [null, 2, null] },
    ]);
    expect(tierLines(samples, "h1", "calls_waiting")).toEqual([
      { label: "working", values: [10, 12, 14] },
      { label: "semantic", values: [0, 0, 0] },
    ]);
    expect(tierLines(samples, "h1", "backlog_rows")).toEqual([{ label: "semantic", values: [7, 7, 7] }]);
    expect(processLine(samples, "h1", "rss_bytes", 1_048_576).values).toEqual([10, 12, 14]);
    expect(operationLines(samples, "h2", ({ meanMs }) => meanMs)).toEqual([]);
  });
});
