import { describe, expect, it } from "vitest";
import { englishMarks } from "../src/search/analyzer/english-time.js";
import { createEnglishAnalyzer } from "../src/search/analyzer/index.js";

const EIGHTH_OF_MAY = 1_683_554_160;
const NEW_YEAR = 1_704_067_200;

const wordsOf = (query: string) => englishMarks.ofQuery(query).map(({ word }) => word);

describe("a date in a query", () => {
  it.each([
    ["what happened on 8 May 2023", ["2023-05-08"]],
    ["the 8th of May, 2023", ["2023-05-08"]],
    ["May 8th, 2023 in Rome", ["2023-05-08"]],
    ["logs of 2023-05-08", ["2023-05-08"]],
    ["sales of May 2023", ["2023-05"]],
    ["sales of 2023-11", ["2023-11"]],
    ["Sept. 3, 2021 or Dec 2022", ["2021-09-03", "2022-12"]],
    ["8 May 2023 and 2023-05-08", ["2023-05-08"]],
    ["on May 8th", []],
    ["may I see 2023 invoices", []],
    ["release 2.15 of 1234-5678", []],
  ])("%s: %j", (query, dates) => {
    expect(wordsOf(query)).toEqual(dates);
  });

  it("counts at most eight times", () => {
    const days = Array.from({ length: 30 }, (_, at) => `2023-05-${String(at + 1).padStart(2, "0")}`);
    expect(wordsOf(days.join(" "))).toEqual(days.slice(0, 8));
  });
});

describe("the time of an entry", () => {
  it("has the day twice, the adjacent days and the month", () => {
    expect(englishMarks.ofTime(EIGHTH_OF_MAY)).toEqual([
      ...["@2023-05-08", "@2023-05-08", "@2023-05-07", "@2023-05-09", "@2023-05"],
    ]);
    expect(englishMarks.ofTime(NEW_YEAR)).toEqual([
      ...["@2024-01-01", "@2024-01-01", "@2023-12-31", "@2024-01-02", "@2024-01"],
    ]);
  });

  it("is empty outside the calendar, and has no adjacent day there", () => {
    expect(englishMarks.ofTime(1e300)).toEqual([]);
    expect(englishMarks.ofTime(8.64e12)).toHaveLength(4);
  });
});

describe("when", () => {
  it.each([
    ["When did they move?", ["when"]],
    ["since when does it fail", ["when"]],
    ["what day is the review", ["when"]],
    ["How long ago was it sold?", ["when"]],
    ["what to do when it fails", []],
    ["whenever it rains", []],
  ])("%s: %j", (query, words) => {
    expect(wordsOf(query)).toEqual(words);
  });

  it.each([
    ["We moved last week", true],
    ["The review is on Friday", true],
    ["Sold in May", true],
    ["It was built in 1998", true],
    ["Lunch at 3 pm", true],
    ["Two years ago", true],
    ["You may sell it", false],
    ["Release 20190 is out", false],
    ["The last one fails", false],
  ])("a text that contains a time: %s, %s", (text, found) => {
    expect(englishMarks.ofText(text)).toEqual(found ? ["?when"] : []);
  });

  it("is a term only in addition to words", () => {
    const analyzer = createEnglishAnalyzer();
    expect(analyzer.analyzeQuery("When was it?")).toEqual([]);
    expect(analyzer.analyzeQuery("When did they move?").map(({ word }) => word)).toEqual(["move", "when"]);
    expect(analyzer.analyzeQuery("?when @2023-05-08").map(({ word }) => word)).not.toContain("?when");
  });
});
