import { MemoryError } from "@membus/protocol";
import { expect, it } from "vitest";
import { z } from "zod";
import { callTool, type Tool, toJsonSchema, toOpenAiTools, withThinking } from "../src/index.js";

const add: Tool<z.ZodObject<{ a: z.ZodNumber; b: z.ZodDefault<z.ZodNumber> }>> = {
  name: "add_numbers",
  description: "Adds two numbers",
  parameters: z.object({ a: z.number(), b: z.number().default(1) }),
  async run({ a, b }) {
    return String(a + b);
  },
};

function toolThat(run: Tool["run"]): Tool {
  return { name: "do", description: "Does", parameters: z.object({}), run };
}

function call(name: string, args: string) {
  return { id: "c1", name, arguments: args };
}

it("gives the tool what its schema makes of the arguments", async () => {
  expect(await callTool([add], call("add_numbers", '{"a":2}'))).toBe("3");
});

it.each<[string, string, string]>([
  [
    "add_number",
    "{}",
    "There is no tool `add_number` (did you mean `add_numbers`?). There are: add_numbers.",
  ],
  ["send_money", "{}", "There is no tool `send_money`. There are: add_numbers."],
  ["add_numbers", '{"a":', "The arguments of add_numbers are not JSON: "],
  [
    "add_numbers",
    "{}",
    "The arguments of add_numbers are wrong:\n✖ Invalid input: expected number, received undefined\n  → at a",
  ],
  [
    "add_numbers",
    '{"a":1,"b":"x"}',
    "The arguments of add_numbers are wrong:\n✖ Invalid input: expected number, received string\n  → at b",
  ],
  [
    "add_numbers",
    "[1]",
    "The arguments of add_numbers are wrong:\n✖ Invalid input: expected object, received array",
  ],
])("answers %s(%s) with what is wrong", async (name, args, text) => {
  expect(await callTool([add], call(name, args))).toContain(text);
});

it("says so where there are no tools", async () => {
  expect(await callTool([], call("x", "{}"))).toBe("There is no tool `x`. There are no tools.");
});

it.each<[string, () => Promise<string>, string]>([
  ["an error", () => Promise.reject(new Error("disk full")), "do failed: disk full"],
  [
    "an error of membus",
    () => Promise.reject(new MemoryError("too_large", "over 1 MiB")),
    "do failed: too_large: over 1 MiB",
  ],
  [
    "an error at once",
    () => {
      throw new Error("not even begun");
    },
    "do failed: not even begun",
  ],
])("turns %s into a text", async (_, run, text) => {
  expect(await callTool([toolThat(run)], call("do", "{}"))).toBe(text);
});

it("cuts a text that is too long, and says so", async () => {
  const tool = toolThat(async () => "x".repeat(30_000));
  const text = await callTool([tool], call("do", "{}"));
  expect(text).toHaveLength(20_000);
  expect(text).toMatch(/x\n\[cut: the whole text has 30000 characters\]$/);
  const short = await callTool([tool], call("do", "{}"), {}, { textLengthMax: 200 });
  expect(short).toHaveLength(200);
});

it("cuts no character in two", async () => {
  const tool = toolThat(async () => "😀".repeat(150));
  const text = await callTool([tool], call("do", "{}"), {}, { textLengthMax: 201 });
  expect(text.isWellFormed()).toBe(true);
});

it("cuts an error that is too long", async () => {
  const tool = toolThat(() => Promise.reject(new Error("x".repeat(5_000))));
  expect(await callTool([tool], call("do", "{}"))).toHaveLength(2_000);
});

it("ends with its signal's reason, whatever the tool does", async () => {
  const stop = new AbortController();
  const tool = toolThat(() => {
    stop.abort(new Error("enough"));
    return new Promise(() => {});
  });
  await expect(callTool([tool], call("do", "{}"), { signal: stop.signal })).rejects.toThrow("enough");
  await expect(callTool([add], call("add_numbers", "{}"), { signal: stop.signal })).rejects.toThrow("enough");
});

it("refuses a bound that means nothing", async () => {
  await expect(callTool([add], call("x", "{}"), {}, { textLengthMax: 1 })).rejects.toThrow(TypeError);
});

it("declares tools as OpenAI takes them", () => {
  const parameters = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number", default: 1 } },
    required: ["a"],
    additionalProperties: false,
  };
  expect(toJsonSchema(add)).toEqual(parameters);
  expect(toOpenAiTools([add])).toEqual([
    { type: "function", function: { name: "add_numbers", description: "Adds two numbers", parameters } },
  ]);
});

it("lets a model think first, and the tool not know of it", async () => {
  const seen: unknown[] = [];
  const strict: Tool = {
    ...add,
    parameters: z.strictObject({ a: z.string().transform(Number) }).refine(({ a }) => a > 0, "too small"),
    async run(args) {
      seen.push(args);
      return "ok";
    },
  };
  const thinking = withThinking(strict);
  const { properties } = toJsonSchema(thinking) as { properties: object };
  expect(Object.keys(properties)).toEqual(["thinking", "a"]);
  expect(await callTool([thinking], call("add_numbers", '{"thinking":"hm","a":"2"}'))).toBe("ok");
  expect(await callTool([thinking], call("add_numbers", '{"a":"2"}'))).toBe("ok");
  expect(await callTool([thinking], call("add_numbers", '{"a":"-2"}'))).toContain("too small");
  expect(await callTool([thinking], call("add_numbers", '{"a":"2","x":1}'))).toContain(
    'Unrecognized key: "x"',
  );
  expect(seen).toEqual([{ a: 2 }, { a: 2 }]);
  expect(() => withThinking(thinking)).toThrow(TypeError);
});
