import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { normalizedWords } from "../src/long-term/facts/fact.js";
import { factTexts, openLongTerm, openMemory } from "./long-term-fixture.js";

describe("without a model", () => {
  it("stores texts, and returns their outcomes in order", async () => {
    const { longTerm } = await openLongTerm();
    const { outcomes, cost } = await longTerm.record([
      "likes green tea",
      "",
      "likes  green tea ",
      "has two cats",
    ]);
    expect(outcomes.map(({ outcome, text }) => [outcome, text])).toEqual([
      ["new", "likes green tea"],
      ["refused", ""],
      ["duplicate", "likes green tea"],
      ["new", "has two cats"],
    ]);
    expect(outcomes[2]!.id).toBe(outcomes[0]!.id);
    expect(cost).toMatchObject({ modelCalls: 0, inputTokens: 0, outputTokens: 0, entriesWritten: 2 });
    expect(await factTexts(longTerm)).toEqual(["has two cats", "likes green tea"]);
  });

  it("detects an identical text, also of another process, and the same words with `similarScore`", async () => {
    const { memory, longTerm } = await openLongTerm();
    const [first] = (await longTerm.record("likes green tea")).outcomes;
    const other = (await openLongTerm({ client: memory, similarScore: 0.9 })).longTerm;
    const { outcomes, cost } = await other.record(["likes green tea", "Likes green tea!"]);
    expect(outcomes).toMatchObject([
      { outcome: "duplicate", id: first!.id },
      { outcome: "duplicate", id: first!.id },
    ]);
    expect(cost.entriesWritten).toBe(0);
  });

  it("keeps similar texts, and reports them with `similarScore`", async () => {
    const { longTerm } = await openLongTerm({ similarScore: 0.9 });
    await longTerm.record("the train to Rome leaves at 9:00 every morning");
    const [outcome] = (await longTerm.record("the train to Rome leaves at 9:30 every morning")).outcomes;
    expect(outcome).toMatchObject({
      outcome: "new",
      similar: [{ text: "the train to Rome leaves at 9:00 every morning" }],
    });
    expect(outcome!.similar![0]!.score).toBeGreaterThan(0.9);
    const [less] = (await longTerm.record("the train to Rome")).outcomes;
    expect(less!.outcome).toBe("new");
    expect(await longTerm.sizes()).toEqual({
      fact: 3,
      superseded: 0,
      experience: 0,
      guideline: 0,
      tool_call: 0,
    });
  });

  it("compares only identical texts without `similarScore`", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.record("likes green tea");
    const { outcomes } = await longTerm.record(["likes green tea", "Likes green tea!"]);
    expect(outcomes.map(({ outcome, similar }) => [outcome, similar])).toEqual([
      ["duplicate", undefined],
      ["new", undefined],
    ]);
  });

  it("treats only case and outer punctuation as equal", () => {
    expect(normalizedWords("The cat, (is) called TOM!")).toBe("the cat is called tom");
    expect(normalizedWords('a ". «?» ".b". c')).toBe("a .b c");
    const others = ["likes C", "likes C++", "likes C#", "is 5", "is -5", "is 1.5", "is 1 5", "is 15"];
    expect(new Set(others.map(normalizedWords)).size).toBe(others.length);
  });

  it("stores messages unchanged, with the trust of their role", async () => {
    const { longTerm } = await openLongTerm();
    const { outcomes } = await longTerm.record([
      { role: "system", content: "You are kind" },
      { role: "user", content: [{ type: "text", text: "I live in Rome" }] },
      { role: "assistant", content: null },
      { role: "tool", content: "It is 20 degrees in Rome", tool_call_id: "c1" },
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["refused", "new", "refused", "new"]);
    const { memories } = await longTerm.retrieve("Rome");
    expect(memories.map(({ text, record }) => [text, record.metadata.trust])).toEqual(
      expect.arrayContaining([
        ["I live in Rome", "user"],
        ["It is 20 degrees in Rome", "tool"],
      ]),
    );
  });

  it("divides a text that is too long for a fact between its sentences", async () => {
    const { longTerm } = await openLongTerm();
    const sentences = Array.from({ length: 900 }, (_, n) => `Item number ${n} is blue.`);
    const { outcomes } = await longTerm.record([sentences.join(" "), "short"]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["new", "new", "new", "new"]);
    const stored = outcomes.slice(0, 3).map(({ text }) => text);
    expect(stored.join(" ")).toBe(sentences.join(" "));
    expect(stored.every((text) => text.endsWith("."))).toBe(true);
  });

  it("keeps the same words of two speakers as two facts, each with its speaker and its time", async () => {
    const { longTerm } = await openLongTerm();
    const { outcomes } = await longTerm.record([
      { role: "user", name: "Ann", content: "I am vegetarian", at: 1_000 },
      { role: "user", name: "Ben", content: "I am vegetarian", at: 2_000 },
    ]);
    expect(outcomes.map(({ outcome, text }) => [outcome, text])).toEqual([
      ["new", "Ann: I am vegetarian"],
      ["new", "Ben: I am vegetarian"],
    ]);
    const { memories } = await longTerm.retrieve("who is vegetarian");
    expect(memories.map(({ record, occurredAt }) => [record.metadata.speaker, occurredAt]).sort()).toEqual([
      ["Ann", 1_000],
      ["Ben", 2_000],
    ]);
  });

  it("reports texts that the host refuses as refused", async () => {
    const { longTerm } = await openLongTerm();
    const metadata = { note: "x".repeat(5_000) };
    const { outcomes, cost } = await longTerm.record(["likes tea", "has two cats"], { metadata });
    expect(outcomes.map(({ outcome, reason }) => [outcome, reason?.split(":")[0]])).toEqual([
      ["refused", "too_large"],
      ["refused", "too_large"],
    ]);
    expect(cost.entriesWritten).toBe(0);
    expect(await longTerm.sizes()).toMatchObject({ fact: 0 });
  });

  it("finds no forgotten memory by any method", async () => {
    const { longTerm } = await openLongTerm();
    const [fact] = (await longTerm.record("likes tea", { category: "c" })).outcomes;
    await longTerm.forget({ ids: [fact!.id!] });
    expect((await longTerm.retrieve("likes tea", { minScore: 0 })).memories).toEqual([]);
    expect((await longTerm.retrieve("likes tea", { asOf: 4e9 })).memories).toEqual([]);
    expect(await factTexts(longTerm)).toEqual([]);
    await rejection(longTerm.history(fact!.id!), "memory_not_found");
    await rejection(longTerm.update(fact!.id!, { category: "d" }), "memory_not_found");
    expect(await longTerm.listSubjects()).toEqual([]);
  });

  it("rejects invalid arguments before it sends anything", async () => {
    const { longTerm } = await openLongTerm();
    await expect(longTerm.record("x", { metadata: { trust: "user" } })).rejects.toThrow(TypeError);
    await expect(longTerm.record("x", { wiat: false } as object)).rejects.toThrow(/did you mean `wait`/);
    await expect(longTerm.record({ role: "nobody" } as never)).rejects.toThrow(/not a valid message/);
    await expect(longTerm.retrieve("x", { limit: 0 })).rejects.toThrow(TypeError);
    expect(() => longTerm.forSubject("")).toThrow(TypeError);
    expect(() => longTerm.forSubject("x".repeat(65))).toThrow(/1..64/);
  });
});

describe("subjects", () => {
  it("are separate: their memories cannot be found, changed or forgotten under another subject", async () => {
    const memory = await openMemory();
    const user = (await openLongTerm({ client: memory })).longTerm;
    const gmail = user.forSubject("agent:gmail");
    const [fact] = (await user.record("prefers dark mode in search")).outcomes;
    await gmail.record("search with sender: works best");
    expect((await user.retrieve("search")).memories.map(({ text }) => text)).toEqual([
      "prefers dark mode in search",
    ]);
    expect((await gmail.retrieve("search")).memories.map(({ text }) => text)).toEqual([
      "search with sender: works best",
    ]);
    await rejection(gmail.history(fact!.id!), "memory_not_found");
    await rejection(gmail.update(fact!.id!, { text: "nothing" }), "memory_not_found");
    expect((await gmail.forget({ ids: [fact!.id!] })).count).toBe(0);
    expect((await gmail.forget({ all: true })).count).toBe(1);
    expect(await factTexts(user)).toEqual(["prefers dark mode in search"]);
  });

  it("are kept apart for any name", async () => {
    const memory = await openMemory();
    const names = ["a/b", "a%2fb", "a", "*", "a*", "a:b", "a b", "ä", "a.b", ">"];
    const { longTerm } = await openLongTerm({ client: memory, subject: "first" });
    for (const name of names) await longTerm.forSubject(name).record(`this is about ${JSON.stringify(name)}`);
    for (const name of names) {
      expect(await factTexts(longTerm.forSubject(name))).toEqual([`this is about ${JSON.stringify(name)}`]);
    }
    const subjects = await longTerm.listSubjects();
    expect(subjects).toEqual([...names].sort().map((subject) => ({ subject, count: 1 })));
  });

  it("are separate for each agent in the episodic tier, and shared in the semantic tier", async () => {
    const memory = await openMemory();
    const bob = memory.forAgent("bob") as typeof memory;
    const own = (await openLongTerm({ client: memory })).longTerm;
    await own.record("likes tea");
    expect(await factTexts((await openLongTerm({ client: bob })).longTerm)).toEqual([]);
    const shared = (await openLongTerm({ client: memory, tier: "semantic" })).longTerm;
    await shared.record("likes coffee");
    expect(await factTexts((await openLongTerm({ client: bob, tier: "semantic" })).longTerm)).toEqual([
      "likes coffee",
    ]);
  });
});
