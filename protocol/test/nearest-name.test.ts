import { describe, expect, it } from "vitest";
import { didYouMean, nearestName } from "../src/index.js";

describe("the closest known name", () => {
  it.each([
    ["tag", ["tags", "tier"], "tags"],
    ["teir", ["tags", "tier"], "tier"],
    ["x", ["tags", "tier"], undefined],
    ["", ["tags"], undefined],
  ])("to %j", (name, known, expected) => expect(nearestName(name, known)).toBe(expected));

  it("is undefined for a very long name, and found quickly", () => {
    expect(nearestName("n".repeat(1_000_000), ["tags", "tier"])).toBeUndefined();
  });

  it("is added to a message if it exists", () => {
    expect(didYouMean("tag", ["tags"])).toBe(" (did you mean `tags`?)");
    expect(didYouMean("other", ["tags"])).toBe("");
  });
});
