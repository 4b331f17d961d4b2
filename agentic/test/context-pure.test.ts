import { describe, expect, it } from "vitest";
import { packBackward } from "../src/context/pack.js";
import { protectedStart, unitsOf, withoutOrphans } from "../src/context/rounds.js";
import type { View, ViewItem } from "../src/context/view.js";
import type { ChatMessage } from "../src/index.js";

/**
 * `u5` is a user message of 5 tokens, likewise `a5`, `s5`, `t5`. `a5!x,y` calls x and y, `t5?x` is the result
 * of x.
 */
function items(script: string): ViewItem[] {
  return script.split(" ").map((word, index) => {
    const [, letter, tokens, calls, answers] = /^([uast])(\d+)(?:!([\w,]+))?(?:\?(\w+))?$/.exec(word)!;
    const roles = { u: "user", a: "assistant", s: "system", t: "tool" } as const;
    const message: ChatMessage = {
      role: roles[letter as keyof typeof roles],
      content: word,
      ...(calls && { tool_calls: calls.split(",").map((id) => ({ id, name: "f", arguments: "{}" })) }),
      ...(answers && { tool_call_id: answers }),
    };
    const common = { id: String(index), seq: index + 1, revision: 1, updated: 1 };
    return { ...common, raw: message, view: message, tokens: Number(tokens) };
  });
}

const words = (displayed: readonly ViewItem[]) => displayed.map(({ view }) => view.content).join(" ");

describe("the protected messages", () => {
  it.each([
    ["u1 a1 u1 a1 u1", 1, 3],
    ["u1 a1 u1 a1 u1", 2, 1],
    ["u1 a1 u1 a1 u1", 3, 0],
    ["u1 u1", 1, 0],
    ["u1 a1!x t1?x u1 a1", 1, 4],
    ["u1 a1!x t1?x", 1, 1],
    ["u1 a1!x u1 a1 t1?x", 1, 1],
    ["u1 a1!x t1?x a1!x t1?x a1 t1?x", 1, 3],
  ])("of %s with %i rounds start at %i", (script, rounds, start) => {
    expect(protectedStart(items(script), rounds)).toBe(start);
  });
});

describe("calls and results", () => {
  it.each([
    ["t1?x u1", "u1"],
    ["a1!x t1?x t1?y", "a1!x t1?x"],
    ["t1?x a1!x", "a1!x"],
    ["u1!x t1?x", "u1!x"],
    ["t1 u1", "u1"],
  ])("of %s are shown as %s", (script, displayed) => {
    expect(words(withoutOrphans(items(script)))).toBe(displayed);
  });

  it("stay together, each result with the nearest call of its id", () => {
    const units = unitsOf(items("a1!x t2?x u1 a3!x,y u2 t4?y t5?x"));
    expect(units.map(words)).toEqual(["a1!x t2?x", "u1", "u2", "a3!x,y t4?y t5?x"]);
  });
});

describe("packing", () => {
  const pack = (script: string, targetTokens: number, more: Partial<View> = {}, gaps = true) => {
    const view = { system: undefined, summary: undefined, items: items(script), ...more };
    return packBackward(view, { targetTokens, graceRounds: 1, gaps });
  };

  it.each([
    ["u5 u5 a5 u5", 100, "u5 u5 a5 u5"],
    ["u1 a2 u3 a4 u5 a6", 15, "a4 u5 a6"],
    ["u1 a2 u3 a4 u5 a6", 13, "a2 u5 a6"],
    ["u9 a9!x t9?x u1 a1", 11, "u9 u1 a1"],
    ["u9 a9!x t9?x u1 a1", 20, "a9!x t9?x u1 a1"],
    ["u9 a1 a1", 1, "u9 a1"],
    ["a9 u9", 1, "a9 u9"],
  ])("%s into %i is %s", (script, target, packed) => {
    expect(words(pack(script, target).items)).toBe(packed);
  });

  it("without gaps stops at the first message that does not fit", () => {
    expect(words(pack("u1 a9 u1 a1", 5, {}, false).items)).toBe("u1 a1");
    expect(words(pack("u1 a9 u1 a1", 5).items)).toBe("u1 u1 a1");
  });

  it("keeps the system message, and the summary if it fits", () => {
    const [system, summary] = items("s5 u5");
    expect(pack("u5 u5 a5", 15, { system: system!, summary: summary! })).toMatchObject({
      system,
      summary: undefined,
    });
    const packed = pack("u5 u5 a5", 20, { system: system!, summary: summary! });
    expect(packed).toMatchObject({ system, summary });
    expect(words(packed.items)).toBe("u5 a5");
  });
});
