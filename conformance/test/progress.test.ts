import { expect, it } from "vitest";
import { ProgressLine } from "../src/cli/progress.js";
import { CHECKS } from "../src/index.js";
import type { CheckOutcome } from "../src/run/outcome.js";

const [first, second, third] = CHECKS.slice(0, 3) as [Checked, Checked, Checked];
type Checked = (typeof CHECKS)[number];

/** Reports these results and returns the output. */
function outputOf(results: readonly (readonly [Checked, CheckOutcome])[], isTTY: boolean): string {
  let text = "";
  const progress = new ProgressLine({ isTTY, columns: 200, write: (more) => (text += more) });
  for (const [index, [check, outcome]] of results.entries()) {
    const result = { tier: "working", outcome, seed: 1, assertions: 1, durationMs: 1 } as const;
    progress.update(result, check, { done: index + 1, total: results.length });
  }
  progress.end();
  return text;
}

it("names each red check once, as soon as it is red", () => {
  const results = [
    [first, "pass"],
    [second, "fail"],
    [second, "untestable"],
    [third, "suite-error"],
    [first, "not-applicable"],
  ] as const;
  expect(outputOf(results, false)).toBe(`red: ${second.id}\nred: ${third.id}\n`);
});

it("keeps the names of red checks above the line that a terminal rewrites", () => {
  const erase = "\r\u001b[K";
  expect(outputOf([[first, "fail"]], true)).toBe(
    `${erase}red: ${first.id}\n${erase}1/1 runs, 1 red  ${first.id}${erase}`,
  );
});
