import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readEvaluationSet } from "../../src/eval/evaluation-set.js";

const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const DOCUMENT = { id: "d1", conv: "trip", text: "The train leaves at nine" };
const QUERY = { id: "q1", question: "When do we leave?", gold: ["d1"] };

/** Reads a set with these lines. Values that are not strings are written as JSON. */
function read(documents: readonly unknown[], queries: readonly unknown[]) {
  const write = (name: string, lines: readonly unknown[]) =>
    writeFileSync(
      join(folder, name),
      lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""),
    );
  write("docs.jsonl", documents);
  write("queries.jsonl", queries);
  return readEvaluationSet(folder);
}

describe("an evaluation set", () => {
  it("needs only the required fields, ignores unknown ones, and counts empty lines", async () => {
    const set = await read(
      ["", { ...DOCUMENT, turn: 4, mood: "good" }],
      [QUERY, { id: "q2", question: "?", gold: [], main: false, type: "unanswerable" }],
    );
    expect(set).toEqual({
      documents: [{ ...DOCUMENT, line: 2 }],
      queries: [
        { ...QUERY, type: "untyped", main: true, line: 1 },
        { id: "q2", question: "?", gold: [], main: false, type: "unanswerable", line: 2 },
      ],
    });
  });

  it.each<[string, readonly unknown[], readonly unknown[], RegExp]>([
    ["no JSON", ["{"], [QUERY], /docs\.jsonl:1: not valid JSON/],
    ["no object", ["[]"], [QUERY], /docs\.jsonl:1: .*object/],
    ["no text", [DOCUMENT, { id: "d2" }], [QUERY], /docs\.jsonl:2: `text`/],
    ["no documents", [], [QUERY], /docs\.jsonl has no documents/],
    [
      "an id twice",
      [DOCUMENT, "", DOCUMENT],
      [QUERY],
      /docs\.jsonl:3: duplicate id d1, also at .*docs\.jsonl:1$/,
    ],
    [
      "an over-long line",
      [`"${"x".repeat(17_000_000)}"`],
      [QUERY],
      /docs\.jsonl:1: line too long, the limit is 16777216/,
    ],
    [
      "a question twice",
      [DOCUMENT],
      [QUERY, QUERY],
      /queries\.jsonl:2: duplicate id q1, also at .*queries\.jsonl:1$/,
    ],
    ["an empty question", [DOCUMENT], [{ ...QUERY, question: "" }], /queries\.jsonl:1: `question`/],
    ["no answer", [DOCUMENT], [{ ...QUERY, gold: [] }], /queries\.jsonl:1: `gold` is empty/],
    ["an answer twice", [DOCUMENT], [{ ...QUERY, gold: ["d1", "d1"] }], /`gold` contains a document twice/],
    ["an unknown answer", [DOCUMENT], [{ ...QUERY, gold: ["d9"] }], /document d9 does not exist/],
    [
      "an answer elsewhere",
      [DOCUMENT],
      [{ ...QUERY, conv: "home" }],
      /document d1 does not belong to conv home/,
    ],
  ])("with %s is rejected, naming the line", async (_what, documents, queries, message) => {
    const reading = read(documents, queries);
    await expect(reading).rejects.toThrow(TypeError);
    await expect(reading).rejects.toThrow(message);
  });

  it("must exist", async () => {
    await expect(readEvaluationSet(join(folder, "nowhere"))).rejects.toThrow(/cannot read .*docs\.jsonl/);
  });
});
