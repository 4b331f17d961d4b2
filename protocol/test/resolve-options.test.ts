import { describe, expect, it } from "vitest";
import {
  booleanOption,
  choiceOption,
  didYouMean,
  integerOption,
  nearestName,
  resolveOptions,
  stringOption,
} from "../src/index.js";

const DEFAULTS = Object.freeze({ timeoutMs: 500, name: "a", mode: "fast", strict: true });
const RULES = {
  timeoutMs: integerOption(1, 1_000),
  name: stringOption,
  mode: choiceOption("fast", "safe"),
  strict: booleanOption,
};

const resolve = (input: object) => resolveOptions(input, DEFAULTS, RULES);

describe("options", () => {
  it("are the defaults, overridden by the input", () => {
    expect(resolve({})).toEqual(DEFAULTS);
    expect(resolve({ timeoutMs: 7, name: undefined })).toEqual({ ...DEFAULTS, timeoutMs: 7 });
  });

  it("are a frozen copy", () => {
    const input = { timeoutMs: 7 };
    const resolved = resolve(input);
    expect(Object.isFrozen(resolved)).toBe(true);
    expect(resolved).not.toBe(input);
    expect(Object.isFrozen(input)).toBe(false);
  });

  it.each([
    [{ timeoutMS: 5 }, "unknown option `timeoutMS` (did you mean `timeoutMs`?)"],
    [{ zzz: 5 }, "unknown option `zzz`"],
    [{ timeoutMs: 0 }, "timeoutMs must be an integer of 1..1000, got 0"],
    [{ timeoutMs: 1.5 }, "timeoutMs must be an integer of 1..1000, got 1.5"],
    [{ timeoutMs: "5" }, "timeoutMs must be an integer of 1..1000, got 5"],
    [{ name: "" }, "name must be a non-empty string"],
    [{ mode: "slow" }, "mode must be one of fast, safe, got slow"],
    [{ strict: 1 }, "strict must be true or false, got 1"],
  ])("refuse %j", (input, message) => {
    expect(() => resolve(input)).toThrow(new TypeError(message));
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    ["user:ada", "a text"],
    [["user:ada"], "a list"],
    [7, "7"],
  ])("must be an object, not %j", (input, got) => {
    expect(() => resolve(input as object)).toThrow(new TypeError(`options must be an object, got ${got}`));
  });
});

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
