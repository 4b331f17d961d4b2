import { MemoryError } from "@membus/protocol";
import { expect, it } from "vitest";
import { z } from "zod";
import { callTool, type Tool, toOpenAiTools } from "../src/index.js";
import { toJsonSchema, withThinking } from "../src/tools/index.js";

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

it("passes the parsed arguments to the tool", async () => {
  expect(await callTool([add], call("add_numbers", '{"a":2}'))).toBe("3");
});

it.each<[string, string, string]>([
  [
    "add_number",
    "{}",
    "Unknown tool `add_number` (did you mean `add_numbers`?). Available tools: add_numbers.",
  ],
  ["send_money", "{}", "Unknown tool `send_money`. Available tools: add_numbers."],
  ["add_numbers", '{"a":', "The arguments of add_numbers are not JSON: "],
  [
    "add_numbers",
    "{}",
    "The arguments of add_numbers are invalid:\n✖ Invalid input: expected number, received undefined\n  → at a",
  ],
  [
    "add_numbers",
    '{"a":1,"b":"x"}',
    "The arguments of add_numbers are invalid:\n✖ Invalid input: expected number, received string\n  → at b",
  ],
  [
    "add_numbers",
    "[1]",
    "The arguments of add_numbers are invalid:\n✖ Invalid input: expected object, received array",
  ],
])("reports the problem of %s(%s)", async (name, args, text) => {
  expect(await callTool([add], call(name, args))).toContain(text);
});

it("reports that there are no tools", async () => {
  expect(await callTool([], call("x", "{}"))).toBe("Unknown tool `x`. No tools are available.");
});

it.each<[string, () => Promise<string>, string]>([
  ["an error", () => Promise.reject(new Error("disk full")), "do failed: disk full"],
  [
    "a MemoryError",
    () => Promise.reject(new MemoryError("too_large", "over 1 MiB")),
    "do failed: too_large: over 1 MiB",
  ],
  [
    "a synchronous error",
    () => {
      throw new Error("not even begun");
    },
    "do failed: not even begun",
  ],
])("turns %s into a text", async (_, run, text) => {
  expect(await callTool([toolThat(run)], call("do", "{}"))).toBe(text);
});

it("cuts and marks a result that is too long", async () => {
  const tool = toolThat(async () => "x".repeat(30_000));
  const text = await callTool([tool], call("do", "{}"));
  expect(text).toHaveLength(20_000);
  expect(text).toMatch(/x\n\[cut: the whole text has 30000 characters\]$/);
  const short = await callTool([tool], call("do", "{}"), {}, { textLengthMax: 200 });
  expect(short).toHaveLength(200);
});

it("keeps surrogate pairs together", async () => {
  const tool = toolThat(async () => "😀".repeat(150));
  const text = await callTool([tool], call("do", "{}"), {}, { textLengthMax: 201 });
  expect(text.isWellFormed()).toBe(true);
});

it("cuts an error that is too long", async () => {
  const tool = toolThat(() => Promise.reject(new Error("x".repeat(5_000))));
  expect(await callTool([tool], call("do", "{}"))).toHaveLength(2_000);
});

it("rejects with the signal's reason, whatever the tool does", async () => {
  const stop = new AbortController();
  const tool = toolThat(() => {
    stop.abort(new Error("enough"));
    return new Promise(() => {});
  });
  await expect(callTool([tool], call("do", "{}"), { signal: stop.signal })).rejects.toThrow("enough");
  await expect(callTool([add], call("add_numbers", "{}"), { signal: stop.signal })).rejects.toThrow("enough");
});

it("rejects an invalid limit", async () => {
  await expect(callTool([add], call("x", "{}"), {}, { textLengthMax: 1 })).rejects.toThrow(TypeError);
});

it("declares tools in the format of OpenAI", () => {
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

it("adds a parameter for thinking that the tool does not get", async () => {
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
