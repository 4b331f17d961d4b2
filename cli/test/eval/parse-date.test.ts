import { describe, expect, it } from "vitest";
import { parseDate } from "../../src/eval/parse-date.js";

const DAY = 1_683_504_000; // 2023-05-08T00:00:00Z

describe("a date", () => {
  it.each([
    ["1:56 pm on 8 May, 2023", 13, 56],
    ["9 am on 8 May, 2023", 9, 0],
    ["12:05 am on 8 May, 2023", 0, 5],
    ["12:30 p.m. on 8 May 2023", 12, 30],
    ["8 May 2023", 0, 0],
    ["8th of May, 2023", 0, 0],
    ["Monday, May 8, 2023 at 1:56 PM", 13, 56],
    ["May 8 2023 13:56", 13, 56],
    ["1:56 PM, 8 May 2023", 13, 56],
    ["13:56 UTC, 8 May 2023", 13, 56],
    ["2023-05-08", 0, 0],
    ["2023/5/8", 0, 0],
    ["May-8-2023", 0, 0],
    ["May-08-2023 13:56", 13, 56],
    ["8-May-2023", 0, 0],
    ["2023/05/08 (Mon) 13:56", 13, 56],
    ["8.5.2023", 0, 0],
    ["8. 5. 2023, 13:56", 13, 56],
    ["2023-05-08 13:56", 13, 56],
    ["2023-05-08T13:56:00Z", 13, 56],
    ["2023-05-08T15:56+02:00", 13, 56],
    ["2023-05-08T09:56:00.000-0400", 13, 56],
  ])("%s is parsed as UTC", (written, hours, minutes) => {
    expect(parseDate(written)).toBe(DAY + hours * 3600 + minutes * 60);
  });

  it("can begin with a time that a month follows", () => {
    expect(parseDate("13:56 April 8, 2023")).toBe(DAY - 30 * 86_400 + 13 * 3600 + 56 * 60);
  });

  it("can be Unix seconds", () => {
    expect(parseDate(1_683_504_000.5)).toBe(1_683_504_000.5);
  });

  it.each([
    "",
    "yesterday",
    "2023-02-30",
    "31 April 2024",
    "8 Smarch 2024",
    "25:00 on 8 May, 2023",
    "13:00 pm on 8 May, 2023",
    "1:60 pm on 8 May, 2023",
    "8 May 1969",
    "5/8/2023",
    `2023-05-08${" ".repeat(80)}`,
    -1,
    Number.MAX_VALUE,
  ])("%s is rejected", (written) => {
    expect(parseDate(written)).toBeUndefined();
  });
});
