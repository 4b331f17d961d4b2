import { expect, it } from "vitest";
import { sessionDocuments } from "../../src/eval/session-documents.js";

it("the documents of a session become one, and so do the answers of a question", () => {
  const { documents, queries } = sessionDocuments({
    documents: [
      { id: "a", conv: "trip", session: 1, speaker: "Ada", text: "one", line: 1 },
      { id: "b", conv: "home", session: 1, text: "elsewhere", line: 2 },
      { id: "c", conv: "trip", session: 1, date: "2023-05-08", text: "two", caption: "a photo", line: 3 },
      { id: "d", text: "alone", line: 4 },
    ],
    queries: [
      { id: "q", conv: "trip", type: "x", question: "?", gold: ["a", "c"], main: true, line: 1 },
      { id: "r", type: "x", question: "?", gold: ["d", "b"], main: true, line: 2 },
    ],
  });
  expect(documents).toEqual([
    { id: "a", line: 1, conv: "trip", date: "2023-05-08", text: "Ada: one\ntwo [a photo]" },
    { id: "b", line: 2, conv: "home", date: undefined, text: "elsewhere" },
    { id: "d", line: 4, conv: undefined, date: undefined, text: "alone" },
  ]);
  expect(queries.map(({ gold }) => gold)).toEqual([["a"], ["d", "b"]]);
});
