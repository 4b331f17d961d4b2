import { expect, it } from "vitest";
import { latenciesOf } from "../src/stats/latency.js";
import { latencyPlots, memoryPlots } from "../src/stats/stats-plots.js";
import { barChart, plotOptions, sparkline } from "../src/terminal/plots.js";

const UNICODE = { width: 46, isUnicode: true };
const ASCII = { width: 46, isUnicode: false };

const FIGURES = {
  tiers: [
    { name: "working", value: 0 },
    { name: "episodic", value: 1_200 },
    { name: "semantic", value: 3 },
  ],
  kinds: [
    { name: "fact", value: 900 },
    { name: "without a kind", value: 303 },
  ],
  growth: [0, 0, 10, 80, 40, 1],
  since: Date.UTC(2026, 10, 14) / 1_000,
  notes: [],
};

it("plots tiers, kinds and growth", () => {
  expect(memoryPlots(FIGURES, "alice", UNICODE)).toEqual([
    "entries of alice, by tier",
    "  working       0",
    "  episodic  1,200  ███████████████████████████",
    "  semantic      3  █",
    "entries of alice, by kind",
    "  fact            900  ███████████████████████",
    "  without a kind  303  ████████",
    "created per half day since 2026-11-14, at most 80",
    "  ▕  ▁█▄▁▏",
  ]);
});

it("plots in ASCII, and only what there is", () => {
  const figures = { ...FIGURES, kinds: [], growth: [0, 1, 6] };
  expect(memoryPlots(figures, "alice", ASCII)).toEqual([
    "entries of alice, by tier",
    "  working       0",
    "  episodic  1,200  ###########################",
    "  semantic      3  #",
    "created per half day since 2026-11-14, at most 6",
    "  | _#|",
  ]);
});

it("gives the reason for a plot that is left out", () => {
  const notes = ["the plot of new entries is left out: too many namespaces"];
  expect(memoryPlots({ ...FIGURES, kinds: [], growth: undefined, notes }, "alice", ASCII).slice(4)).toEqual([
    "the plot of new entries is left out: too many namespaces",
  ]);
});

it("plots latencies of all hosts with their percentiles", () => {
  const bounds_ms = [1, 10, 2_500];
  const hosts = [
    {
      id: "a",
      latency: {
        bounds_ms,
        counts: { "memory/store/req": [60, 30, 0, 0], "memory/retrieve/req": [0, 0, 1, 0] },
      },
    },
    { id: "b", latency: { bounds_ms, counts: { "memory/store/req": [0, 6, 3, 1] } } },
    { id: "of an earlier version" },
  ];
  expect(latencyPlots(latenciesOf(hosts), UNICODE)).toEqual([
    "time to reply since the start of the hosts, from 0.25 ms to more than 5 s",
    "  store     ▕█▅▁▁▏  p50 up to 1 ms, p95 up to 10 ms, p99 up to 2.5 s",
    "  retrieve  ▕  █ ▏  p50 up to 2.5 s, p95 up to 2.5 s, p99 up to 2.5 s",
  ]);
  const slow = { id: "a", latency: { bounds_ms, counts: { "memory/list/req": [0, 0, 0, 2] } } };
  expect(latencyPlots(latenciesOf([slow]), ASCII)[1]).toBe(
    "  list  |   #|  p50 over 5 s, p95 over 5 s, p99 over 5 s",
  );
  expect(latencyPlots(latenciesOf([{ id: "a" }]), ASCII)).toEqual([]);
});

it("fits its bars into the terminal", () => {
  const bars = [{ name: "a", value: 10 }];
  const width = (columns: number) => barChart(bars, { width: columns, isUnicode: true })[0]!.length;
  expect([10, 60, 1_000].map(width)).toEqual([30, 60, 100]);
});

it.each([
  [{ LANG: "en_GB.UTF-8" }, true],
  [{ LANG: "en_GB.UTF-8", LC_ALL: "C" }, false],
  [{ LC_CTYPE: "C.utf8" }, true],
  [{}, false],
])("uses Unicode only in a locale with UTF-8: %o", (env, isUnicode) => {
  expect(plotOptions(undefined, env)).toEqual({ width: 80, isUnicode });
});

it("shows no value as a space", () => {
  expect(sparkline([0, 0], UNICODE)).toBe("  ");
});
