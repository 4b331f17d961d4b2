import { describe, expect, it } from "vitest";
import { LatestAnswers } from "../src/openai/latest-answers.js";

const caller = {
  identity: { tenant: "acme", agent: "alice" },
  user: "ada",
  conversation: undefined,
  mode: "agent" as const,
};
describe("the cache of latest answers", () => {
  it("separates agents and users", () => {
    const kept = new LatestAnswers<string>();
    kept.keep(caller, "r", "text");
    expect(kept.of(caller, "r")).toBe("text");
    expect(kept.of(caller, undefined)).toBeUndefined();
    expect(kept.of({ ...caller, user: "bob" }, "r")).toBeUndefined();
    expect(kept.of({ ...caller, identity: { tenant: "acme", agent: "bob" } }, "r")).toBeUndefined();
    expect(kept.of({ ...caller, identity: { tenant: "other", agent: "alice" } }, "r")).toBeUndefined();
  });

  it("keeps 10,000 values", () => {
    const kept = new LatestAnswers<number>();
    for (let n = 0; n <= 10_000; n++) kept.keep(caller, `r${n}`, n);
    expect([kept.of(caller, "r0"), kept.of(caller, "r1")]).toEqual([undefined, 1]);
  });

  it("keeps 16 MiB, and values of at most 256 KiB", () => {
    const kept = new LatestAnswers<string>();
    const text = "x".repeat(256 * 1024 - 2);
    kept.keep(caller, "first", "text");
    for (let n = 0; n < 80; n++) kept.keep(caller, "again", text);
    kept.keep(caller, "long", `${text}x`);
    expect([kept.of(caller, "first"), kept.of(caller, "long")]).toEqual(["text", undefined]);
    for (let n = 0; n < 64; n++) kept.keep(caller, `r${n}`, text);
    expect([kept.of(caller, "again"), kept.of(caller, "r0")]).toEqual([undefined, text]);
  });
});
