import { describe, expect, it } from "vitest";
import { loadTokenCounter } from "../src/context/index.js";
import { messageTokens } from "../src/context/tokens.js";
import { truncate } from "../src/context/tool-results.js";

const count = await loadTokenCounter();
const length = (text: string) => text.length;

describe("the token counter", () => {
  it.each([
    ["", 0],
    ["hello world", 2],
    ["你好世界", 2],
    ["<|endoftext|>", 7],
  ])("counts %j as %i", (text, tokens) => {
    expect(count(text)).toBe(tokens);
  });

  it.each([
    ["one letter", "a"],
    ["words of a language without spaces", "你好世界"],
    ["pictures", "😀"],
    ["line ends", "\n"],
    ["lone surrogates", "\ud83d"],
  ])("counts 256 KiB of %s in linear time", (_, piece) => {
    const text = piece.repeat(Math.floor(262_144 / piece.length));
    const half = count(text.slice(0, text.length / 2));
    expect(half).toBeGreaterThan(100);
    expect(count(text) / half).toBeCloseTo(2, 1);
  });

  it("counts a text in parts like the whole, within 1 %", () => {
    const words = "The quick brown fox jumps over the lazy dog. ".repeat(20);
    expect(count(words)).toBe(201);
    expect(Math.abs(count(words.repeat(50)) / 10_000 - 1)).toBeLessThan(0.01);
  });
});

describe("the tokens of a message", () => {
  it.each([
    ["text", { role: "user" as const, content: "12345" }, 3 + 5],
    ["nothing", { role: "assistant" as const, content: null }, 3],
    [
      "parts",
      { role: "user" as const, content: [{ type: "text", text: "123" }, { type: "image_url" }] },
      3 + 3 + 800,
    ],
    ["images", { role: "user" as const, content: "1", images: ["a", "b"] }, 3 + 1 + 1600],
    [
      "a call",
      { role: "assistant" as const, content: null, tool_calls: [{ id: "1", name: "ab", arguments: "{}" }] },
      3 + 5 + 4,
    ],
    ["a tool result", { role: "tool" as const, content: "12", tool_call_id: "1" }, 3 + 2 + 10],
    [
      "fields that are not sent to a model",
      { role: "user" as const, content: "", structured: { a: 1 }, other: "x" },
      3,
    ],
  ])("of %s", (_, message, tokens) => {
    expect(messageTokens(message, length, 800)).toBe(tokens);
  });
});

describe("truncation", () => {
  it.each([
    ["short", 5, "short"],
    ["0123456789012345", 14, "01 [truncated]"],
    ["one two three four five", 20, "one two [truncated]"],
    ["0123456789012345", 3, "[truncated]"],
  ])("of %j to %i is %j", (text, max, cut) => {
    expect(truncate(text, max, length)).toBe(cut);
  });

  it("never cuts a surrogate pair", () => {
    for (let max = 13; max < 40; max++)
      expect(truncate("😀".repeat(40), max, length).isWellFormed()).toBe(true);
  });
});
