import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readSet } from "../../src/eval/formats/read-set.js";
import { parseDate } from "../../src/eval/parse-date.js";

const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

let fileCount = 0;
function jsonFile(value: unknown): string {
  const path = join(folder, `set-${++fileCount}.json`);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

const dated = (date: string | number | null | undefined) => new Date(parseDate(date!)! * 1000).toISOString();

describe("the BEAM format", () => {
  const CHAT = [
    {
      batch_number: 1,
      turns: [
        [
          { role: "user", id: 0, time_anchor: "March-15-2024", index: "1,1", content: "I breed bees" },
          { role: "assistant", id: 1, content: "How many hives do you have?" },
        ],
        [{ role: "user", id: 2, index: "1,2", content: "Four hives" }],
      ],
    },
    { batch_number: 2, turns: [[{ role: "user", id: 3, time_anchor: "April-2-2024", content: "Six now" }]] },
    { batch_number: 3, turns: [[{ role: "user", id: 4, content: "The honey is ready" }]] },
  ];
  const QUESTIONS = {
    abstention: [{ question: "What is the name of my dog?", ideal_response: "not said" }],
    event_ordering: [{ question: "In which order?", source_chat_ids: [0, 2, 2, 3] }],
    knowledge_update: [
      { question: "How many hives?", source_chat_ids: { original_info: [2], updated_info: ["3"] } },
    ],
  };

  function chatFolder(path: string): void {
    mkdirSync(join(folder, path, "probing_questions"), { recursive: true });
    writeFileSync(join(folder, path, "chat.json"), JSON.stringify(CHAT));
    writeFileSync(join(folder, path, "probing_questions/probing_questions.json"), JSON.stringify(QUESTIONS));
  }

  it("reads the conversations of a folder in order, with batches as sessions", async () => {
    for (const number of [10, 9]) chatFolder(`chats/100K/${number}`);
    const { documents, queries } = await readSet(join(folder, "chats/100K"), "beam");
    expect(documents.map(({ id }) => id).slice(0, 6)).toEqual(["9/0", "9/1", "9/2", "9/3", "9/4", "10/0"]);
    expect(documents[1]).toEqual({
      ...{ id: "9/1", conv: "9", session: 1, date: "March-15-2024", speaker: "assistant", line: 2 },
      text: "How many hives do you have?",
    });
    expect(documents.map(({ session }) => session).slice(0, 5)).toEqual([1, 1, 1, 2, 3]);
    expect(documents.slice(2, 5).map(({ date }) => dated(date))).toEqual([
      "2024-03-15T00:00:00.000Z",
      "2024-04-02T00:00:00.000Z",
      "2024-04-02T00:00:00.000Z",
    ]);
    expect(queries.slice(0, 3)).toEqual([
      { ...common(1, "abstention"), question: "What is the name of my dog?", gold: [] },
      { ...common(2, "event_ordering"), question: "In which order?", gold: ["9/0", "9/2", "9/3"] },
      { ...common(3, "knowledge_update"), question: "How many hives?", gold: ["9/2", "9/3"] },
    ]);
  });

  const common = (line: number, type: string) => ({ id: `9/${type}/0`, conv: "9", type, main: true, line });

  it("reads a single conversation, and several sizes at once", async () => {
    chatFolder("sizes/100K/1");
    chatFolder("sizes/500K/1");
    const one = await readSet(join(folder, "sizes/100K/1/"), "beam");
    expect(one.documents.map(({ id }) => id)).toEqual(["1/0", "1/1", "1/2", "1/3", "1/4"]);
    const both = await readSet(join(folder, "sizes"), "beam");
    expect([...new Set(both.documents.map(({ conv }) => conv))]).toEqual(["100K/1", "500K/1"]);
  });

  it("refuses a folder without conversations, and one without questions", async () => {
    mkdirSync(join(folder, "without/1"), { recursive: true });
    await expect(readSet(join(folder, "without"), "beam")).rejects.toThrow(
      "contains no folder with chat.json",
    );
    writeFileSync(join(folder, "without/1/chat.json"), JSON.stringify(CHAT));
    await expect(readSet(join(folder, "without"), "beam")).rejects.toThrow(/cannot read .*questions\.json/);
    await expect(readSet(join(folder, "missing"), "beam")).rejects.toThrow(/cannot read .*missing/);
  });
});

describe("the LongMemEval format", () => {
  const INSTANCE = {
    question_id: "b1",
    question_type: "multi-session",
    question: "How many lamps did I buy?",
    answer: 3,
    question_date: "2023/06/01 (Thu) 10:00",
    haystack_dates: ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 17:05", "2023/05/22 (Mon) 08:00"],
    haystack_session_ids: ["answer_1", "other", "answer_2"],
    haystack_sessions: [
      [
        { role: "user", content: "I bought two lamps", has_answer: true },
        { role: "assistant", content: "Nice", has_answer: false },
      ],
      [{ role: "user", content: "What is a mushroom?" }],
      [
        { role: "user", content: "And another lamp" },
        { role: "assistant", content: "For which room?" },
      ],
    ],
    answer_session_ids: ["answer_1", "answer_2"],
  };

  it("gives each question its own haystack, and takes marked turns as the evidence of a session", async () => {
    const abstention = { ...INSTANCE, question_id: "b2_abs" };
    const { documents, queries } = await readSet(jsonFile([INSTANCE, abstention]), "longmemeval");
    expect(documents).toHaveLength(10);
    expect(documents[1]).toMatchObject({
      ...{ id: "b1/1:answer_1/2", conv: "b1", session: "1:answer_1", speaker: "assistant", text: "Nice" },
    });
    expect(dated(documents[0]!.date)).toBe("2023-05-20T02:21:00.000Z");
    expect(dated(documents[2]!.date)).toBe("2023-05-21T17:05:00.000Z");
    expect(queries).toEqual([
      {
        ...{ id: "b1", conv: "b1", type: "multi-session", question: "How many lamps did I buy?" },
        gold: ["b1/1:answer_1/1", "b1/3:answer_2/1", "b1/3:answer_2/2"],
        ...{ main: true, line: 1 },
      },
      expect.objectContaining({ id: "b2_abs", gold: [] }),
    ]);
  });

  it("refuses sessions without a date or an id", async () => {
    const path = jsonFile([{ ...INSTANCE, haystack_dates: [] }]);
    await expect(readSet(path, "longmemeval")).rejects.toThrow(
      "question b1: 3 haystack_sessions, but 3 haystack_session_ids and 0 haystack_dates",
    );
    await expect(readSet(jsonFile({}), "longmemeval")).rejects.toThrow(/set-\d+\.json: .*expected array/);
  });
});

describe("the LoCoMo format", () => {
  const SAMPLE = {
    sample_id: "conv-7",
    conversation: {
      speaker_a: "Ada",
      speaker_b: "Ben",
      session_10_date_time: "10:00 am on 3 June, 2023",
      session_10: [{ speaker: "Ada", dia_id: "D10:1", text: "I sold the boat" }],
      session_2_date_time: "1:56 pm on 8 May, 2023",
      session_2: [
        { speaker: "Ada", dia_id: "D2:1", text: "Look at my boat", blip_caption: "a red boat", img_url: [] },
        { speaker: "Ben", dia_id: "D2:2", text: "Lovely" },
      ],
      session_11_date_time: "9:00 am on 4 June, 2023",
    },
    observation: {},
    qa: [
      { question: "Which colour is the boat?", answer: "red", evidence: ["D2:1"], category: 4 },
      { question: "What happened to it?", evidence: ["D2:01; D:10:1", "D2:1 D99:9"], category: 1 },
      { question: "What did Ben sell?", evidence: ["D10:1"], category: 5, adversarial_answer: "a boat" },
      { question: "Why?", evidence: ["D"], category: 3 },
    ],
  };

  it("reads sessions in order, with speakers, captions and dates", async () => {
    const { documents, queries } = await readSet(jsonFile([SAMPLE]), "locomo");
    expect(documents.map(({ id }) => id)).toEqual(["conv-7/D2:1", "conv-7/D2:2", "conv-7/D10:1"]);
    expect(documents[0]).toEqual({
      ...{ id: "conv-7/D2:1", conv: "conv-7", session: 2, date: "1:56 pm on 8 May, 2023", line: 1 },
      ...{ speaker: "Ada", text: "Look at my boat", caption: "a red boat" },
    });
    expect(queries.map(({ type, gold, main }) => ({ type, gold, main }))).toEqual([
      { type: "single-hop", gold: ["conv-7/D2:1"], main: true },
      { type: "multi-hop", gold: ["conv-7/D2:1", "conv-7/D10:1"], main: true },
      { type: "adversarial", gold: ["conv-7/D10:1"], main: false },
      { type: "open-domain", gold: [], main: true },
    ]);
  });

  it("names the conversation and the session of a mistake", async () => {
    const broken = { ...SAMPLE, conversation: { session_1: [{ dia_id: "D1:1", text: "Who speaks?" }] } };
    await expect(readSet(jsonFile([broken]), "locomo")).rejects.toThrow(/conv-7: session_1: `0\.speaker`/);
  });

  it("refuses two turns with the same id", async () => {
    const turn = { speaker: "Ada", dia_id: "D1:1", text: "Hello" };
    const doubled = { ...SAMPLE, conversation: { session_1: [turn, turn] } };
    await expect(readSet(jsonFile([doubled]), "locomo")).rejects.toThrow("duplicate id conv-7/D1:1");
  });
});
