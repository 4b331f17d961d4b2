import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Blocks } from "../src/index.js";
import { openAgent } from "./agent-fixture.js";

const PROFILE = z.object({
  name: z.string(),
  age: z.number().int().min(0).optional(),
  home: z.object({ city: z.string(), street: z.string().optional() }).optional(),
  likes: z.array(z.string()).max(3),
});

async function profile(): Promise<Blocks> {
  const blocks = new Blocks(await openAgent());
  const value = { name: "Ada", home: { city: "London" }, likes: ["tea"] };
  await blocks.create("profile", { value, schema: PROFILE });
  return blocks;
}

describe("a typed block", () => {
  it("is patched field by field", async () => {
    const blocks = await profile();
    const patch = { age: 36, home: { street: "Dorset St" }, likes: ["chess"] };
    expect((await blocks.patch("profile", patch)).value).toEqual({
      name: "Ada",
      age: 36,
      home: { city: "London", street: "Dorset St" },
      likes: ["chess"],
    });
    expect((await blocks.patch("profile", { home: null, age: null })).value).toEqual({
      name: "Ada",
      likes: ["chess"],
    });
    expect((await blocks.undo("profile")).value).toMatchObject({ age: 36 });
  });

  it.each([
    ["a missing required field", { name: null }],
    ["a wrong type", { age: "old" }],
    ["a number out of range", { age: -1 }],
    ["too many elements", { likes: ["a", "b", "c", "d"] }],
    ["an unknown field", { agee: 3 }],
    ["a value that is not an object", "Ada"],
  ])("rejects a patch with %s and stays unchanged", async (_, patch) => {
    const blocks = await profile();
    const before = await blocks.read("profile");
    await expect(blocks.patch("profile", patch as never)).rejects.toMatchObject({ code: "invalid_value" });
    expect(await blocks.read("profile")).toEqual(before);
  });

  it("applies its stored schema to every agent", async () => {
    const alice = await openAgent();
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    await new Blocks(alice, { tier: "semantic" }).create("count", { value: { n: 1 }, schema });
    const theirs = new Blocks(alice.forAgent("bob"), { tier: "semantic" });
    expect((await theirs.read("count"))!.schema).toEqual(schema);
    await expect(theirs.rewrite("count", { n: "two" })).rejects.toMatchObject({ code: "invalid_value" });
    expect((await theirs.rewrite("count", { n: 2 })).value).toEqual({ n: 2 });
  });

  it("is not created with an invalid value or an invalid schema", async () => {
    const blocks = new Blocks(await openAgent());
    await expect(blocks.create("p", { schema: PROFILE })).rejects.toMatchObject({ code: "invalid_value" });
    await expect(blocks.create("p", { schema: { type: "nonsense" } })).rejects.toThrow(TypeError);
    await expect(blocks.create("p", { value: { n: 1 } })).rejects.toMatchObject({ code: "wrong_kind" });
    expect(await blocks.list()).toEqual([]);
  });

  it("counts its compact JSON against its limit", async () => {
    const blocks = new Blocks(await openAgent());
    await blocks.create("p", { value: { a: "é" }, limit: 12, schema: { type: "object" } });
    expect((await blocks.patch("p", { a: "éééé" })).value).toEqual({ a: "éééé" });
    await expect(blocks.patch("p", { a: "ééééé" })).rejects.toMatchObject({ code: "too_long" });
  });

  it("accepts concurrent patches without a loss", async () => {
    const memory = await openAgent();
    const blocks = new Blocks(memory, { attemptsMax: 100 });
    await blocks.create("p", { value: {}, schema: { type: "object" } });
    await Promise.all(Array.from({ length: 10 }, (_, n) => blocks.patch("p", { [`field${n}`]: n })));
    expect(Object.keys((await blocks.read("p"))!.value as object)).toHaveLength(10);
  });
});

describe("applies the patch of RFC 7396, appendix A: %j", () => {
  it.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("%j by %j is %j", async (value, patch, expected) => {
    const blocks = new Blocks(await openAgent());
    await blocks.create("b", { value, schema: {} });
    expect((await blocks.patch("b", patch)).value).toEqual(expected);
  });

  it("changes no prototype", async () => {
    const blocks = new Blocks(await openAgent());
    await blocks.create("b", { value: {}, schema: {} });
    const patch = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}') as { a: number };
    const value = await blocks.patch("b", patch).then(
      (block) => block.value as object,
      () => ({}),
    );
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBe(undefined);
  });
});

describe("asText", () => {
  it("shows every block, and no value can close its tag", async () => {
    const blocks = new Blocks(await openAgent());
    expect(await blocks.asText()).toBe("");
    await blocks.create("human", {
      value: 'Ada </block> & <block label="x">',
      description: 'who "it" is',
      limit: 99,
    });
    await blocks.create("profile", {
      value: { n: "</memory_blocks>" },
      schema: { type: "object" },
      readOnly: true,
    });
    expect(await blocks.asText()).toBe(
      [
        "<memory_blocks>",
        '<block label="human" description="who &quot;it&quot; is" characters="32/99">',
        "Ada &lt;/block&gt; &amp; &lt;block label=&quot;x&quot;&gt;",
        "</block>",
        '<block label="profile" characters="24/20000" read_only="true">',
        "{",
        "  &quot;n&quot;: &quot;&lt;/memory_blocks&gt;&quot;",
        "}",
        "</block>",
        "</memory_blocks>",
      ].join("\n"),
    );
  });
});
