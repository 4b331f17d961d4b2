import { expect, it } from "vitest";
import { bytesPerS, entriesPerS, rateText } from "../src/terminal/progress-bar.js";

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
