import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { searchChart } from "../src/chart.js";
import type { BenchResult } from "../src/harness/result.js";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const RESULTS = JSON.parse(read("tools/bench/retrieve.json")) as BenchResult[];

it("draws the chart of the README from the recorded results", () => {
  expect(searchChart(RESULTS)).toBe(read("docs/public/benchmark.svg"));
});

it("draws bars proportional to the times", () => {
  const [result] = RESULTS;
  const chart = searchChart([{ ...result!, ours: "2.00 ms", raw: "4.00 ms" }]);
  expect(chart).toContain('class="ours" x="200" y="70" width="215"');
  expect(chart).toContain('class="raw" x="200" y="88" width="430"');
});

it("rejects results without a search", () => {
  expect(() => searchChart([])).toThrow("no hybrid search");
});
