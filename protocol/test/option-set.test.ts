import { describe, expect, it } from "vitest";
import { option, optionSet, parseOption, parseOptions } from "../src/index.js";

const OPTIONS = optionSet({
  timeoutMs: option.integer(1, 1_000).default(500),
  share: option.number(0, 0.99).default(0.5),
  name: option.text().default("a"),
  mode: option.choice("fast", "safe").default("fast"),
  strict: option.boolean().default(true),
  names: option.list(option.text()).default(["a"]),
  nested: optionSet({ depth: option.integer(1, 9).optional() }).optional(),
  onEvent: option.value<() => void>((value) => typeof value === "function", "must be a function").optional(),
});

const DEFAULTS = { timeoutMs: 500, share: 0.5, name: "a", mode: "fast", strict: true, names: ["a"] };

describe("options", () => {
  it("are the defaults, overridden by the input", () => {
    expect(parseOptions(OPTIONS, {})).toEqual(DEFAULTS);
    expect(parseOptions(OPTIONS, { timeoutMs: 7, name: undefined })).toEqual({ ...DEFAULTS, timeoutMs: 7 });
  });

  it("are a frozen copy", () => {
    const input = { names: ["b"] };
    const parsed = parseOptions(OPTIONS, input);
    expect([Object.isFrozen(parsed), Object.isFrozen(parsed.names)]).toEqual([true, true]);
    expect(Object.isFrozen(input.names)).toBe(false);
    expect(() => (parseOptions(OPTIONS, {}).names as string[]).push("c")).toThrow(TypeError);
  });

  it("do not freeze a list of the caller", () => {
    const options = optionSet({ names: option.value<readonly string[]>(Array.isArray, "must be a list") });
    const names = ["b"];
    expect(parseOptions(options, { names }).names).toBe(names);
    expect(Object.isFrozen(names)).toBe(false);
  });

  it("keep functions as they are", () => {
    const onEvent = () => {};
    expect(parseOptions(OPTIONS, { onEvent }).onEvent).toBe(onEvent);
  });

  it.each([
    [{ timeoutMS: 5 }, "unknown option `timeoutMS` (did you mean `timeoutMs`?)"],
    [{ zzz: 5, timeoutMs: 0 }, "unknown option `zzz`"],
    [{ timeoutMs: 0 }, "timeoutMs must be an integer of 1..1000, got 0"],
    [{ timeoutMs: 1.5 }, "timeoutMs must be an integer of 1..1000, got 1.5"],
    [{ timeoutMs: "5" }, "timeoutMs must be an integer of 1..1000, got 5"],
    [{ share: 1 }, "share must be a number in 0..0.99, got 1"],
    [{ share: Number.NaN }, "share must be a number in 0..0.99, got NaN"],
    [{ name: "" }, "name must be a non-empty string"],
    [{ mode: "slow" }, "mode must be one of fast, safe, got slow"],
    [{ strict: 1 }, "strict must be true or false, got 1"],
    [{ names: "b" }, "names must be a list"],
    [{ names: ["b", ""] }, "names[1] must be a non-empty string"],
    [{ nested: 5 }, "nested must be an object, got 5"],
    [{ nested: { dept: 1 } }, "nested: unknown option `dept` (did you mean `depth`?)"],
    [{ nested: { depth: 10 } }, "nested.depth must be an integer of 1..9, got 10"],
    [{ onEvent: 5 }, "onEvent must be a function"],
  ])("reject %j", (input, message) => {
    expect(() => parseOptions(OPTIONS, input as object)).toThrow(new TypeError(message));
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    ["user:ada", "a text"],
    [["user:ada"], "a list"],
    [7, "7"],
  ])("must be an object, not %j", (input, got) => {
    expect(() => parseOptions(OPTIONS, input as object)).toThrow(
      new TypeError(`options must be an object, got ${got}`),
    );
  });
});

it("one value is parsed like an option", () => {
  expect(parseOption(option.integer(1, 9), 5, "depth")).toBe(5);
  expect(() => parseOption(option.list(option.text()), ["a", 7], "names")).toThrow(
    new TypeError("names[1] must be a non-empty string"),
  );
});
