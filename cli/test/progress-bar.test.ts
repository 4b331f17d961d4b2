import { afterEach, expect, it, vi } from "vitest";
import { FakeClock } from "../../host/test/fake-clock.js";
import { ReindexRates } from "../src/reindex/reindex-rates.js";
import { bytesPerS, entriesPerS, ProgressBar, rateText } from "../src/terminal/progress-bar.js";
import { withProgressBar } from "../src/terminal/task-progress.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Records the text of standard error, as a terminal would show it. */
function terminal(isTerminal = true): string[] {
  const written: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written.push(String(text).replace("\r", "").replace("\u001b[K", ""));
    return true;
  });
  Object.defineProperty(process.stderr, "isTTY", { value: isTerminal, configurable: true });
  return written;
}

it.each([
  [{ done: 0, left: 10, elapsedS: 5 }, ""],
  [{ done: 5, left: 10, elapsedS: 0 }, ""],
  [{ done: 50, left: 100, elapsedS: 10 }, "5.0 entries/s, 20 s left"],
  [{ done: 1_000, left: 90_000, elapsedS: 10 }, "100 entries/s, 15 min left"],
  [{ done: 1_000, left: 900_000, elapsedS: 10 }, "100 entries/s, 2.5 h left"],
])("the rate of %o is measured with the remaining time", (span, expected) => {
  expect(rateText(span, entriesPerS)).toBe(expected);
});

it("shows bytes in KiB and MiB", () => {
  expect([bytesPerS(512), bytesPerS(200 * 1_024), bytesPerS(3.5 * 1_048_576)]).toEqual([
    "1 KiB/s",
    "200 KiB/s",
    "3.5 MiB/s",
  ]);
});

it("draws a bar at most every tenth of a second, and its end", async () => {
  const written = terminal();
  const clock = new FakeClock();
  const bar = new ProgressBar(100, { clock, formatRate: entriesPerS });
  bar.draw(0, "a");
  bar.draw(1, "b");
  await clock.advance(10_000);
  bar.draw(50, "c");
  bar.draw(100, "d");
  bar.end();
  expect(written).toEqual([
    `${"░".repeat(30)} 0%  a`,
    `${"█".repeat(15)}${"░".repeat(15)} 50%  c  5.0 entries/s, 10 s left`,
    `${"█".repeat(30)} 100%  d  10 entries/s, 0 s left`,
    "\n",
  ]);
});

it("begins a bar for each stage of a task, and ends the last one also after a failure", async () => {
  const written = terminal();
  const task = withProgressBar(entriesPerS, async (draw) => {
    draw(1, 1, "stored");
    draw(2, 2, "answered");
    draw(0, 2, "checked");
    throw new Error("broken");
  });
  await expect(task).rejects.toThrow("broken");
  expect(written.map((line) => line.replace(/[█░]+ /, ""))).toEqual([
    ...["100%  stored", "\n", "100%  answered", "\n", "0%  checked", "\n"],
  ]);
});

it("draws nothing without a terminal", async () => {
  const written = terminal(false);
  expect(await withProgressBar(entriesPerS, async (draw) => draw(1, 1, "stored"))).toBeUndefined();
  expect(written).toEqual([]);
});

it("measures the rate of re-indexing for each tier", async () => {
  const clock = new FakeClock();
  const rates = new ReindexRates(clock);
  const at = (done: number) => ({ host_id: "h", tier: "episodic", generation: 2, done, total: 100 }) as never;
  expect(rates.textOf(at(20))).toBe("");
  await clock.advance(10_000);
  expect(rates.textOf(at(60))).toBe("4.0 entries/s, 10 s left");
});
