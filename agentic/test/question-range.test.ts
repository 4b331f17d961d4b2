import { describe, expect, it } from "vitest";
import { questionRange } from "../src/long-term/recall/question-range.js";
import { openLongTerm } from "./long-term-fixture.js";

/** Wednesday. */
const NOW = Date.parse("2024-05-15T13:30:00Z") / 1000;
const seconds = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000;

describe("the range of a question", () => {
  it.each([
    ["Did I say anything today?", "2024-05-15", "2024-05-16", ""],
    ["Did we talk about anything yesterday?", "2024-05-14", "2024-05-15", ""],
    ["the day before yesterday", "2024-05-13", "2024-05-14", ""],
    ["Which soup did I eat 3 days ago?", "2024-05-12", "2024-05-13", "Which soup did I eat ?"],
    ["two weeks ago", "2024-04-29", "2024-05-06", ""],
    ["a month ago", "2024-04-01", "2024-05-01", ""],
    ["list the things that I said last week", "2024-05-06", "2024-05-13", ""],
    ["this week", "2024-05-13", "2024-05-20", ""],
    ["in the last 7 days", "2024-05-08", "2024-05-16", ""],
    ["over the past two months", "2024-03-15", "2024-05-16", ""],
    ["Which trains did I take last month?", "2024-04-01", "2024-05-01", "Which trains did I take ?"],
    ["last year", "2023-01-01", "2024-01-01", ""],
    ["last Friday", "2024-05-10", "2024-05-11", ""],
    ["on Wednesday", "2024-05-08", "2024-05-09", ""],
    ["Did I do anything in May?", "2024-05-01", "2024-06-01", ""],
    ["in June", "2023-06-01", "2023-07-01", ""],
    ["in March 2022", "2022-03-01", "2022-04-01", ""],
    ["in 2021", "2021-01-01", "2022-01-01", ""],
    ["on 5 May", "2024-05-05", "2024-05-06", ""],
    ["on May 20th", "2023-05-20", "2023-05-21", ""],
    ["on 29 February 2024", "2024-02-29", "2024-03-01", ""],
    ["2024-01-31", "2024-01-31", "2024-02-01", ""],
  ])("%s", (question, since, until, query) => {
    expect(questionRange(question, NOW)).toEqual({ since: seconds(since), until: seconds(until), query });
  });

  it.each([
    "Who is my manager?",
    "May I go?",
    "Where is the weekly report?",
    "on 30 February 2024",
    "open logs/2024-01-31/a.txt",
    "Was this the last week-long trip?",
  ])("%s has none", (question) => {
    expect(questionRange(question, NOW)).toBeUndefined();
  });
});

describe("retrieve with resolveDates", () => {
  async function filled() {
    const { longTerm } = await openLongTerm();
    await longTerm.record("Planted two apple trees", { at: seconds("2024-05-07") });
    await longTerm.record("Sold the boat", { at: seconds("2024-05-09") });
    await longTerm.record("Planted a cherry tree", { at: seconds("2024-04-20") });
    return longTerm;
  }
  const textsOf = async (query: string, options: object) => {
    const { memories } = await (await filled()).retrieve(query, options);
    return memories.map(({ text }) => text);
  };

  it("returns the range, the newest first, for a question about nothing else", async () => {
    expect(await textsOf("List everything that I said last week", { resolveDates: true, now: NOW })).toEqual([
      "Sold the boat",
      "Planted two apple trees",
    ]);
  });

  it("searches the range for the rest of the question", async () => {
    const found = await textsOf("Which trees did I plant in April?", { resolveDates: true, now: NOW });
    expect(found).toEqual(["Planted a cherry tree"]);
  });

  it("does nothing without the option, or if the caller gives a range", async () => {
    expect(await textsOf("Which trees were planted last week?", {})).toContain("Planted a cherry tree");
    const range = { since: seconds("2024-04-01"), until: seconds("2024-05-01") };
    const given = await textsOf("trees planted last week", { resolveDates: true, now: NOW, ...range });
    expect(given).toEqual(["Planted a cherry tree"]);
  });

  it("ignores the minimum score in a range", async () => {
    const found = await textsOf("trees", { since: seconds("2024-04-01"), minScore: 1 });
    expect(found).toContain("Planted a cherry tree");
    expect(await textsOf("trees", { minScore: 1 })).toEqual([]);
  });

  it("returns a given range without a query", async () => {
    expect(await textsOf("", { since: seconds("2024-05-08") })).toEqual(["Sold the boat"]);
    expect(await textsOf("", {})).toEqual([]);
  });
});
