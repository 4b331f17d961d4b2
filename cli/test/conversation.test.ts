import { expect, it } from "vitest";
import { TURNS } from "../src/demo/conversation/turns.js";
import { QUESTIONS } from "../src/demo/questions.js";

it("is a few hundred turns between one person and two assistants over several weeks", () => {
  expect(TURNS.length).toBeGreaterThanOrEqual(240);
  expect(new Set(TURNS.map(({ speaker }) => speaker))).toEqual(new Set(["baker", "alice", "bob"]));
  const times = TURNS.map(({ saidAt }) => saidAt);
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(6 * 7 * 86_400);
});

it("never says the same twice, and lets nobody speak in the other assistant's talk", () => {
  expect(new Set(TURNS.map(({ text }) => text)).size).toBe(TURNS.length);
  for (const { assistant, speaker } of TURNS) expect(["baker", assistant]).toContain(speaker);
});

it.each(QUESTIONS)(
  "answers “$ask” in exactly one turn, of the asked assistant's talks",
  ({ agent, answer }) => {
    const answers = TURNS.filter(({ text }) => text.includes(answer));
    expect(answers.map(({ assistant }) => assistant)).toEqual([agent]);
  },
);
