import type { Clock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { globMatcher } from "../src/files/glob.js";
import { type FilesOptions, MemoryFiles } from "../src/index.js";
import { openAgent } from "./agent-fixture.js";

async function filesWith(texts: Readonly<Record<string, string>>, options: FilesOptions = {}) {
  const files = new MemoryFiles(await openAgent(), options);
  for (const [path, text] of Object.entries(texts)) await files.write(path, text);
  return files;
}

const TREE = {
  "/b.ts": "const train = 9;\r\n\r\nfunction Train() {}\r\n",
  "/a/x.ts": "train\ntrain\nbus",
  "/a/x.md": "no such word",
  "/a/b/y.md": "a train",
};

describe("grep", () => {
  it("returns matching lines by path and number", async () => {
    const files = await filesWith(TREE);
    expect(await files.grep("^(const )?train\\b")).toEqual({
      files: [
        {
          path: "/a/x.ts",
          count: 2,
          lines: [
            { line: 1, text: "train" },
            { line: 2, text: "train" },
          ],
        },
        { path: "/b.ts", count: 1, lines: [{ line: 1, text: "const train = 9;" }] },
      ],
      isComplete: true,
    });
  });

  it.each([
    [{ ignoreCase: true }, ["/a/b/y.md 1", "/a/x.ts 2", "/b.ts 2"]],
    [{ folder: "/a" }, ["/a/b/y.md 1", "/a/x.ts 2"]],
    [{ glob: "*.ts" }, ["/a/x.ts 2", "/b.ts 1"]],
    [{ glob: "b/*", folder: "/a/" }, ["/a/b/y.md 1"]],
    [{ glob: "{b,y}.{md,ts}" }, ["/a/b/y.md 1", "/b.ts 1"]],
    [{ glob: "/b.ts" }, ["/b.ts 1"]],
    [{ folder: "/nowhere" }, []],
  ])("searches with %j in the given folder and files", async (options, expected) => {
    const files = await filesWith(TREE);
    const { files: found } = await files.grep("train", options);
    expect(found.map(({ path, count }) => `${path} ${count}`)).toEqual(expected);
  });

  it("counts all lines of a file, and returns at most `limit` of them", async () => {
    const files = await filesWith({ "/a": "x\nx\nx\n" });
    expect(await files.grep("x", { limit: 2 })).toMatchObject({
      files: [{ count: 3, lines: [{ line: 1 }, { line: 2 }] }],
      isComplete: false,
    });
    expect((await files.grep("x", { limit: 3 })).isComplete).toBe(true);
  });

  it("cuts a long line around the match", async () => {
    const files = await filesWith({ "/a": `${"🦊".repeat(2_000)}needle${"x".repeat(2_000)}` });
    const [line] = (await files.grep("needle")).files[0]!.lines;
    expect(line!.text).toHaveLength(500);
    expect(line!.text).toContain("🦊needlex");
  });

  it("stops at `grepBytesMax`, and reports it", async () => {
    const texts = { "/a": "x".repeat(600), "/b": "x".repeat(600) };
    const files = await filesWith(texts, { grepBytesMax: 1_000 });
    const result = await files.grep("x");
    expect([result.files.length, result.isComplete]).toEqual([1, false]);
    expect((await files.grep("x", { glob: "b" })).isComplete).toBe(true);
  });

  it("stops at `grepTimeMsMax`, and reports it", async () => {
    let now = 1_800_000_000;
    const clock: Clock = { now: () => (now += 1), after: () => () => {} };
    const memory = await openAgent();
    await new MemoryFiles(memory).write("/a", "x\n".repeat(100));
    const files = new MemoryFiles(memory, { grepTimeMsMax: 10_500 }, clock);
    expect(await files.grep("x")).toMatchObject({ files: [{ count: 9 }], isComplete: false });
  });
});

describe("a pattern", () => {
  const MANY = "a".repeat(20_000);

  it.each(["(a+)+$b", "(a|a)*b", "(a|aa)+$c", "([a-z]+)*[0-9]", "(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^a]"])(
    "does not backtrack: %s",
    async (pattern) => {
      const files = await filesWith({ "/a": MANY });
      expect(await files.grep(pattern)).toEqual({ files: [], isComplete: true });
    },
  );

  it.each([
    ["", "1..1000 characters"],
    ["x".repeat(1_001), "1..1000 characters"],
    ["(a{30}){30}{2}", "invalid pattern"],
    ["(a{1,30}){30}(b{1,30}){30}", "too large"],
    ["(", "invalid pattern"],
    ["(a)\\1", "invalid pattern"],
    ["(?=a)", "invalid pattern"],
  ])("rejects %j: %s", async (pattern, why) => {
    const files = await filesWith({});
    await expect(files.grep(pattern)).rejects.toThrow(TypeError);
    await expect(files.grep(pattern)).rejects.toThrow(why);
  });
});

describe("a glob", () => {
  it("does not backtrack", async () => {
    const name = "a".repeat(200);
    const files = await filesWith({ [`/${name}`]: "" });
    expect((await files.glob(`${"*a".repeat(40)}*b`)).files).toEqual([]);
    expect((await files.glob(`${"**/".repeat(100)}*a`)).files).toHaveLength(1);
    expect((await files.glob(`${"{a,a}".repeat(190)}b`)).files).toEqual([]);
  });

  it.each([
    ["", "1..1000 characters"],
    ["x".repeat(1_001), "1..1000 characters"],
    ["{a", "invalid glob"],
    ["[z-a]", "invalid glob"],
  ])("rejects %j: %s", async (glob, why) => {
    const files = await filesWith({});
    await expect(files.glob(glob)).rejects.toThrow(TypeError);
    if (glob !== "") await expect(files.glob(glob)).rejects.toThrow(why);
    await expect(files.grep("x", { glob })).rejects.toThrow(TypeError);
  });
});

describe("a glob matches", () => {
  it.each([
    ["*", ["a", "a,b", "a.b", "{", "]", "a\\b", "é"], ["a/b"]],
    ["**", ["a", "a/b", "a/b/c"], []],
    ["a/**", ["a/b", "a/b/c"], ["a", "ab/c"]],
    ["**/b", ["b", "a/b", "a/c/b"], ["ab", "a/bb"]],
    ["a/**/b", ["a/b", "a/c/b", "a/c/d/b"], ["ab", "a/cb"]],
    ["a**b", ["ab", "acb", "a/b"], ["a"]],
    ["?b", ["ab", "🦊b"], ["b", "/b", "aab"]],
    ["[a-c]x", ["ax", "cx"], ["dx", "x"]],
    ["[!a-c]x", ["dx", "^x"], ["ax", "/x"]],
    ["[^a]x", ["bx"], ["ax"]],
    ["[]-]x", ["]x", "-x"], ["ax"]],
    ["[[^]x", ["[x", "^x"], ["ax"]],
    ["[\\]x", ["\\x"], ["]x"]],
    ["{a,b{c,d},}e", ["ae", "bce", "bde", "e"], ["be", "bcde"]],
    ["{**/,}x", ["x", "a/x"], ["ax"]],
    ["a,b}", ["a,b}"], ["a"]],
    ["\\*\\{\\[", ["*{["], ["a{["]],
    ["a.b+(c)|d$^", ["a.b+(c)|d$^"], ["axb", "d"]],
    ["[a", ["[a"], ["a"]],
    ["a\\", ["a\\"], ["a"]],
    ["{1..3}", ["1..3"], ["2"]],
  ])("%s", async (glob, paths, others) => {
    const matches = globMatcher(glob);
    expect([...paths, ...others].filter(matches)).toEqual(paths);
  });
});
