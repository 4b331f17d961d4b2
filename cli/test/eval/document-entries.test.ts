import { expect, it } from "vitest";
import { documentEntries } from "../../src/eval/document-entries.js";
import { EVALUATION_DEFAULTS } from "../../src/eval/evaluation-options.js";

const DOCUMENTS = [
  { id: "a", conv: "trip", session: 1, date: "2023-05-08", speaker: "user", text: "one", line: 1 },
  { id: "b", conv: "trip", session: 1, date: "soon", text: "two", caption: "a photo", line: 2 },
  { id: "x", conv: "home", session: 1, text: "elsewhere", line: 3 },
  { id: "c", conv: "trip", session: 1, text: "three", line: 5 },
  { id: "d", conv: "trip", session: 1, text: "four", line: 6 },
  { id: "e", conv: "trip", session: 2, text: "five", line: 7 },
  { id: "f", text: "alone", line: 8 },
];

it("a document is stored with its session, its time and the two preceding documents", () => {
  const { conversations, unreadableDates } = documentEntries(DOCUMENTS, EVALUATION_DEFAULTS);
  const common = { tier: "episodic", group: "trip/1" };
  expect(conversations).toEqual([
    {
      conv: "trip",
      entries: [
        { key: { line: 1 }, content: "user: one", ...common, occurred_at: 1_683_504_000 },
        { key: { line: 2 }, content: "two [a photo]", ...common, context: "user: one" },
        { key: { line: 5 }, content: "three", ...common, context: "user: one\ntwo [a photo]" },
        { key: { line: 6 }, content: "four", ...common, context: "two [a photo]\nthree" },
        { key: { line: 7 }, content: "five", tier: "episodic", group: "trip/2" },
      ],
    },
    {
      conv: "home",
      entries: [{ key: { line: 3 }, content: "elsewhere", tier: "episodic", group: "home/1" }],
    },
    { conv: undefined, entries: [{ key: { line: 8 }, content: "alone", tier: "episodic" }] },
  ]);
  expect(unreadableDates.map(({ line }) => line)).toEqual([2]);
});

it("each of these parts can be omitted", () => {
  const options = { ...EVALUATION_DEFAULTS, groups: false, dates: false, contextTurns: 0 };
  const { conversations, unreadableDates } = documentEntries(DOCUMENTS, options);
  expect(conversations[0]!.entries[2]).toEqual({ key: { line: 5 }, content: "three", tier: "episodic" });
  expect(conversations[0]!.entries[0]).not.toHaveProperty("occurred_at");
  expect(unreadableDates).toEqual([]);
});
