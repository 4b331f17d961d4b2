import { describe, expect, it } from "vitest";
import { resolveDates } from "../src/long-term/facts/resolve-dates.js";
import { splitText } from "../src/split-text.js";
import { messageTexts } from "./learner-fixture.js";
import {
  decided,
  factTexts,
  killedAt,
  openLongTerm,
  openMemory,
  openScripted,
  requestOf,
} from "./long-term-fixture.js";
import { startModel } from "./model-fixture.js";
import type { ReceivedChat, ScriptedAnswer } from "./scripted-openai/index.js";

/** 6 May 2024, a Monday. */
const MONDAY = Date.UTC(2024, 4, 6, 18) / 1000;

/** Returns the lines of the messages in the prompt. */
function shownMessages(request: ReceivedChat): Record<string, unknown>[] {
  const lines = requestOf(request).prompt.split("\n");
  return lines.filter((line) => line.startsWith('{"message":')).map((line) => JSON.parse(line));
}

function facts(...items: readonly { readonly text: string; readonly message: number }[]): ScriptedAnswer {
  return { json: { facts: items.map((item) => ({ ...item, category: null })) } };
}

describe("extraction", () => {
  it("shows the speaker, the date of the message and resolved dates, and never today", async () => {
    const { longTerm, server } = await openScripted(() => facts());
    await longTerm.record(
      [
        { role: "user", name: "Ann", content: "I fly to Oslo tomorrow" },
        { role: "user", content: "It rained yesterday", at: MONDAY - 10 * 86_400 },
        { role: "assistant", content: "Noted" },
      ],
      { at: MONDAY },
    );
    expect(shownMessages(server.requests[0]!)).toEqual([
      { message: 1, speaker: "Ann", date: "2024-05-06", text: "I fly to Oslo on 2024-05-07" },
      { message: 2, speaker: "The user", date: "2024-04-26", text: "It rained on 2024-04-25" },
      { message: 3, speaker: "The assistant", date: "2024-05-06", text: "Noted" },
    ]);
    expect(requestOf(server.requests[0]!).prompt).not.toContain(new Date().toISOString().slice(0, 10));
  });

  it("shows each statement as a separate message, and asks about statements of people", async () => {
    const { longTerm, server } = await openScripted(() => facts());
    await longTerm.record([
      { role: "user", content: "Hello! My cat is called Tom, and I live in Rome. Do you like cats?" },
      { role: "assistant", content: "Cats are nice. What does he eat?" },
    ]);
    expect(shownMessages(server.requests[0]!).map(({ text }) => text)).toEqual([
      "Hello!",
      "My cat is called Tom",
      "I live in Rome.",
      "Do you like cats?",
      "Cats are nice. What does he eat?",
    ]);
    expect(requestOf(server.requests[0]!).prompt).toMatch(/facts of the messages 2, 3\.$/);
  });

  it("asks about an assistant that speaks alone, and about a text of one word", async () => {
    const { longTerm, server } = await openScripted(() => facts());
    await longTerm.record([{ role: "assistant", content: "The tests pass now. Good!" }]);
    await longTerm.record([{ role: "user", content: "vegetarian" }]);
    expect(
      server.requests.map((request) => /messages ([\d, ]+)\.$/.exec(requestOf(request).prompt)?.[1]),
    ).toEqual(["1", "1"]);
  });

  it("demonstrates the answer with another conversation before the messages", async () => {
    const { longTerm, server } = await openScripted(() => facts());
    await longTerm.record([{ role: "user", content: "I live in Rome" }]);
    const { messages } = server.requests[0]!.body;
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(messages[0]!.content).toContain("at most 20 items");
    expect(JSON.parse(String(messages[2]!.content)).facts[0].text).toBe("Zoe sold her kayak on 2019-03-04.");
  });

  it.each([
    ["My cat is called Tom", "The user's cat is called Tom"],
    ["I'm vegetarian", "The user is vegetarian"],
    ["I've moved to Rome", "The user has moved to Rome"],
    ["We use pnpm here", "The user: We use pnpm here"],
  ])("writes %j with the speaker", async (text, expected) => {
    const { longTerm } = await openScripted(() => facts({ text, message: 1 }));
    await longTerm.record([{ role: "user", content: text }]);
    expect(await factTexts(longTerm)).toEqual([expected]);
  });

  it("asks about more than 20 statements in two calls", async () => {
    const { longTerm, server } = await openScripted((request) =>
      facts(...messageTexts(request).map((text, n) => ({ text, message: n + 1 }))),
    );
    const content = Array.from({ length: 30 }, (_, n) => `The door ${n} is blue.`).join(" ");
    await longTerm.record([{ role: "user", content }]);
    expect(server.requests.filter((request) => requestOf(request).name === "facts")).toHaveLength(2);
    expect(await factTexts(longTerm)).toHaveLength(30);
  });

  it("stores who said a fact and when, in the third person, with the date that was meant", async () => {
    const { longTerm } = await openScripted(() =>
      facts({ text: "I am vegetarian", message: 1 }, { text: "Ben flies to Oslo tomorrow", message: 2 }),
    );
    await longTerm.record([
      { role: "user", name: "Ann", content: "I am vegetarian", at: MONDAY - 86_400 },
      { role: "user", name: "Ben", content: "I fly tomorrow", at: MONDAY },
    ]);
    const { memories } = await longTerm.retrieve("vegetarian Oslo", { minScore: 0 });
    expect(
      memories.map(({ text, record, occurredAt }) => [text, record.metadata.speaker, occurredAt]).sort(),
    ).toEqual([
      ["Ann is vegetarian", "Ann", MONDAY - 86_400],
      ["Ben flies to Oslo on 2024-05-07", "Ben", MONDAY],
    ]);
  });

  it("keeps statements of two speakers apart, whatever the model decides", async () => {
    const { longTerm, server } = await openScripted((request) =>
      requestOf(request).name === "facts"
        ? facts({ text: `${shownMessages(request)[0]!.speaker} is vegetarian`, message: 1 })
        : decided(request, { outcome: "duplicate", about: "Ann is vegetarian" }),
    );
    for (const name of ["Ann", "Ben"])
      await longTerm.record([{ role: "user", name, content: "I am vegetarian" }]);
    expect(await factTexts(longTerm)).toEqual(["Ann is vegetarian", "Ben is vegetarian"]);
    expect(server.requests.map((request) => requestOf(request).name)).toEqual(["facts", "facts"]);
  });

  it("lets one speaker correct what another one said about a named person", async () => {
    const { longTerm } = await openScripted((request) =>
      requestOf(request).name === "facts"
        ? facts({ text: messageTexts(request)[0]!, message: 1 })
        : decided(request, { outcome: "superseded", about: "Ann lives in Rome" }),
    );
    await longTerm.record([{ role: "user", name: "Ann", content: "Ann lives in Rome" }]);
    await longTerm.record([{ role: "user", name: "Ben", content: "Ann lives in Oslo" }]);
    expect(await factTexts(longTerm)).toEqual(["Ann lives in Oslo"]);
  });

  it("drops facts that a model copies from the prompt, or finds in a mere question", async () => {
    const { longTerm } = await openScripted(() =>
      facts(
        { text: "Zoe's boss is Max.", message: 1 },
        { text: "...", message: 1 },
        { text: "The weather is sunny", message: 1 },
        { text: "The user has a cat", message: 2 },
        { text: "The assistant does not know", message: 3 },
      ),
    );
    await longTerm.record([
      { role: "user", content: "What is the weather like?" },
      { role: "user", content: "Did you know that I have a cat?" },
      { role: "assistant", content: "I do not know" },
    ]);
    expect(await factTexts(longTerm)).toEqual(["The user has a cat"]);
  });

  it("takes two calls for a conversation of many facts", async () => {
    const { longTerm } = await openScripted((request) =>
      requestOf(request).name === "facts"
        ? facts(...messageTexts(request).map((text, n) => ({ text, message: n + 1 })))
        : decided(request),
    );
    const say = (day: string) =>
      Array.from({ length: 20 }, (_, n) => ({ role: "user" as const, content: `Door ${n} opens on ${day}` }));
    await longTerm.record(say("Mondays"));
    expect((await longTerm.record(say("Fridays"))).cost.modelCalls).toBe(2);
  });

  it("halves a part that exceeds the context of the model, down to a limit", async () => {
    const context = 1_500;
    const { longTerm, server } = await openScripted((request) => {
      const texts = messageTexts(request);
      if (texts.join("").length > context)
        return { status: 400, code: "context_length_exceeded", message: "too many tokens" };
      return facts(...texts.map((text, n) => ({ text: `${text.slice(0, 20)}`, message: n + 1 })));
    });
    const paragraphs = Array.from({ length: 8 }, (_, n) => `Paragraph ${n} ${"has words. ".repeat(40)}`);
    await longTerm.record([{ role: "user", content: paragraphs.join("\n\n") }]);
    const read = server.requests.map(messageTexts).filter((texts) => texts.join("").length <= context);
    expect(
      read
        .flat()
        .join(" ")
        .match(/Paragraph \d/g),
    ).toEqual(paragraphs.map((text) => text.slice(0, 11)));
  });

  it("divides a text that is too long for a fact, and extracts its facts", async () => {
    const { longTerm, server } = await openScripted((request) =>
      facts({ text: `It has ${messageTexts(request).join(" ").length} characters`, message: 1 }),
    );
    await longTerm.record("A sentence of the report. ".repeat(1_000));
    expect(server.requests).toHaveLength(3);
    expect(server.requests.every((request) => messageTexts(request).join("").length <= 12_000)).toBe(true);
  });
});

it("leaves both facts if a process is killed before the old one is retired", async () => {
  const memory = await openMemory();
  const { model } = await startModel((request) =>
    decided(request, { outcome: "superseded", about: "Ann lives in Rome" }),
  );
  const { longTerm } = await openLongTerm({ client: memory });
  await longTerm.record("Ann lives in Rome");
  for (const [point, left] of [
    ["create", ["Ann lives in Rome"]],
    ["retire", ["Ann lives in Oslo", "Ann lives in Rome"]],
  ] as const) {
    const killed = await openLongTerm({ client: killedAt(point, memory) as typeof memory, model });
    await expect(killed.longTerm.record("Ann lives in Oslo")).rejects.toThrow(`killed at ${point}`);
    expect(await factTexts(longTerm)).toEqual(left);
  }
});

it.each([
  ["We met yesterday evening.", "We met on 2024-05-05 in the evening."],
  ["until tomorrow", "until 2024-05-07"],
  ["the day after tomorrow", "on 2024-05-08"],
  ["I start next Friday", "I start on 2024-05-10"],
  ["We met last Monday", "We met on 2024-04-29"],
  ["I moved last month", "I moved in April 2024"],
  ["It was three weeks ago", "It was in the week of 2024-04-15"],
  ["in two days", "on 2024-05-08"],
  ["I quit next year", "I quit in 2025"],
  ["call `today()` or dates.today", "call `today()` or dates.today"],
  ["today's news", "today's news"],
  ["明天", "明天"],
])("resolves the dates of %j", (text, resolved) => {
  expect(resolveDates(text, MONDAY)).toBe(resolved);
});

it("divides texts without loss, between paragraphs, sentences, words or characters", () => {
  expect(splitText("One two.\n\nThree four. Five", 14)).toEqual(["One two.", "Three four.", "Five"]);
  expect(splitText("aaaa bbbb cccc", 6)).toEqual(["aaaa", "bbbb", "cccc"]);
  expect(splitText("一二三。四五六。七", 5)).toEqual(["一二三。", "四五六。七"]);
  expect(splitText("😀😀😀", 3)).toEqual(["😀", "😀", "😀"]);
  expect(splitText("x".repeat(10), 4)).toEqual(["xxxx", "xxxx", "xx"]);
  expect(splitText("  ", 4)).toEqual([]);
});
