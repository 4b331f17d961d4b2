import { describe, expect, it } from "vitest";
import { attachMemory, type ChatMessage } from "../src/index.js";
import { factTexts, openLongTerm } from "./long-term-fixture.js";

const DAY = 86_400;
const AT = 1_700_000_000; // 2023-11-14

/** Returns the texts of the lines. */
const linesOf = (text: string) => text.split("\n").flatMap((line) => /\) (.*)$/.exec(line)?.[1] ?? []);

describe("attachMemory without a model", () => {
  const TURN: ChatMessage[] = [
    { role: "user", content: "Where did I spend my holiday?" },
    { role: "assistant", content: "I don't know your travels." },
    { role: "user", content: "At the lake of Garda" },
  ];

  it("stores no questions and no answers without information, but uses them as context", async () => {
    const { longTerm, memory } = await openLongTerm();
    await attachMemory(longTerm, "static", { wait: true }).after(TURN, { group: "chat-1" });
    expect(await factTexts(longTerm)).toEqual(["At the lake of Garda"]);
    const [entry] = (await memory.inNamespace("about/user:abc123").retrieve({ include: ["context"] }))
      .entries;
    expect(entry).toMatchObject({
      ...{ group: "chat-1", context: "Where did I spend my holiday?\nI don't know your travels." },
    });
    const attached = attachMemory(longTerm, "static");
    await attached.after([{ role: "user", content: "Who am I?" }]);
    await longTerm.settled();
    expect((await longTerm.sizes()).fact).toBe(1);
  });

  it("record keeps them, because its caller has chosen the texts", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.record(TURN);
    expect((await longTerm.sizes()).fact).toBe(3);
  });
});

describe("the text for a prompt", () => {
  it("has a newer statement before an older one of the same kind, with their dates", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.record("My manager is Ada", { at: AT });
    await longTerm.record("My manager is now Ben", { at: AT + 90 * DAY });
    await longTerm.record("My manager likes the opera a lot, and the theatre too", { at: AT + 99 * DAY });
    const recall = await longTerm.retrieve("Who is my manager? Ada");
    expect(recall.memories[0]!.text).toBe("My manager is Ada");
    const text = recall.asText();
    expect(linesOf(text).slice(0, 2)).toEqual(["My manager is now Ben", "My manager is Ada"]);
    expect(text).toMatch(/fact of 2024-02-12.*Ben\n.*fact of 2023-11-14.*Ada/);
  });

  it("keeps statements of two speakers in the order of their scores", async () => {
    const { longTerm } = await openLongTerm();
    const said = (name: string): ChatMessage => ({ role: "user", name, content: "I am vegetarian" });
    await longTerm.record(said("Ada"), { at: AT });
    await longTerm.record(said("Ben"), { at: AT + DAY });
    expect(linesOf((await longTerm.retrieve("Is Ada vegetarian?")).asText())).toEqual([
      "Ada: I am vegetarian",
      "Ben: I am vegetarian",
    ]);
  });

  it("has 2,000 tokens by default, and at most maxTokens", async () => {
    const { longTerm } = await openLongTerm();
    const long = (name: string) => `The ${name} report says ${`${name} and more `.repeat(250)}`;
    await longTerm.record(["alpha", "beta", "gamma", "delta"].map(long));
    const recall = await longTerm.retrieve("alpha beta gamma delta report");
    expect(recall.memories).toHaveLength(4);
    const text = recall.asText();
    expect(linesOf(text).length).toBeLessThan(4);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(6_000);
    const short = recall.asText({ maxTokens: 100 });
    expect(linesOf(short)).toHaveLength(1);
    expect(linesOf(short)[0]).toMatch(/^The \w+ report says .*…$/);
    expect(Buffer.byteLength(short)).toBeLessThanOrEqual(300);
    expect(recall.asText({ maxTokens: 1 })).toBe("");
    expect(recall.asText({ maxTokens: 60, count: (all) => all.split(" ").length }).split(" ")).toHaveLength(
      60,
    );
    expect(linesOf(recall.asText({ maxTokens: 100_000 }))).toHaveLength(4);
    expect(() => recall.asText({ maxTokens: 0 })).toThrow(TypeError);
  });
});
