import { anthropic } from "@ai-sdk/anthropic";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import type { MemoryClient } from "@membus/agent-client";
import { MemoryFiles } from "@membus/agentic";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { rejection } from "../../../bus/test/expect-error.js";
import {
  type AnthropicMemoryOptions,
  MemoryToolError,
  type MemoryToolHandlers,
  memoryToolExecute,
  memoryToolHandlers,
} from "../src/anthropic/index.js";
import { RealHost, startRealHost } from "./real-host.js";
import { resultOrError } from "./result-or-error.js";

const NOTES = "/memories/notes.md";
/** 510 KB as JSON. Parts end at any character. */
const LONG = 'é"\\🦊 words\n'.repeat(30_000);

const host = new RealHost();
let memory: MemoryClient;
let tool: MemoryToolHandlers;
let agents = 0;
beforeAll(() => host.start());
afterAll(() => host.close());
beforeEach(async () => {
  memory = await host.connect({ agent: `agent${agents++}` });
  tool = memoryToolHandlers(memory);
});

const words = (problem: string) => `MemoryToolError: ${problem}`;

async function filesOf(options: AnthropicMemoryOptions = {}): Promise<string> {
  return memoryToolHandlers(memory, options).view({ path: "/memories" });
}

describe("corrections of the SDK's own tool", () => {
  it("rejects a path that only starts like the root, and reveals no local paths", async () => {
    const path = "/memoriesevil/x";
    expect(await resultOrError(tool.create({ path, file_text: "" }))).toBe(
      words("Path must start with /memories, got: /memoriesevil/x"),
    );
    await tool.create({ path: NOTES, file_text: "" });
    for (const bad of [`${NOTES}/below`, `${NOTES}/below/it`]) {
      expect(await resultOrError(tool.create({ path: bad, file_text: "" }))).toBe(
        words("The path /memories/notes.md is not a directory."),
      );
      expect(await resultOrError(tool.rename({ old_path: NOTES, new_path: bad }))).toBe(
        words("The path /memories/notes.md is not a directory."),
      );
    }
    await tool.create({ path: "/memories/a/b", file_text: "" });
    expect(await resultOrError(tool.rename({ old_path: "/memories/a", new_path: "/memories/a/c" }))).toBe(
      words("The destination /memories/a/c is inside /memories/a"),
    );
  });

  it("replaces several lines", async () => {
    await tool.create({ path: NOTES, file_text: "1\n2\n3\n4\n5\n6\n7" });
    const replace = { path: NOTES, old_str: "4\n5", new_str: "four\nand five" };
    expect(await tool.str_replace(replace)).toBe(
      "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     2\t2\n     3\t3\n     4\tfour\n     5\tand five\n     6\t6",
    );
    expect(await tool.view({ path: NOTES, view_range: [4, -1] })).toBe(
      "Here's the content of /memories/notes.md with line numbers:\n     4\tfour\n     5\tand five\n     6\t6\n     7\t7",
    );
  });

  it("rejects a text that occurs twice, on one line or across lines", async () => {
    const file_text = "ab ab\nx\nab\n";
    await tool.create({ path: NOTES, file_text });
    const result = async (old_str: string) =>
      resultOrError(tool.str_replace({ path: NOTES, old_str, new_str: "c" }));
    const multiple = (old_str: string, lines: string) =>
      words(
        `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines: ${lines}. Please ensure it is unique`,
      );
    expect(await result("ab")).toBe(multiple("ab", "1, 3"));
    expect(await result("b\n")).toBe(multiple("b\n", "1, 3"));
    expect(await result("")).toBe(multiple("", "1, 2, 3, 4"));
    await tool.create({ path: "/memories/aaa", file_text: "aaa" });
    const overlapping = { path: "/memories/aaa", old_str: "aa", new_str: "b" };
    expect(await resultOrError(tool.str_replace(overlapping))).toBe(multiple("aa", "1"));
    expect(await tool.view({ path: NOTES })).toContain("     1\tab ab\n     2\tx\n     3\tab\n     4\t");
  });

  it("lists at most 100 line numbers", async () => {
    await tool.create({ path: NOTES, file_text: "a\n".repeat(101) });
    const result = await resultOrError(tool.str_replace({ path: NOTES, old_str: "a", new_str: "b" }));
    expect(result).toMatch(/in lines: 1, 2, .*, 99, 100, \.\.\.\. Please/);
  });

  it("lists with one slash between directory and file", async () => {
    await tool.create({ path: "/memories/a/b", file_text: "12" });
    expect(await tool.view({ path: "/memories/a/" })).toBe(
      "Here're the files and directories up to 2 levels deep in /memories/a/, excluding hidden items and node_modules:\n2B\t/memories/a/\n2B\t/memories/a/b",
    );
  });
});

describe("files", () => {
  it("may be larger than an entry: they are read, edited, moved and deleted like others", async () => {
    const path = "/memories/a/long";
    await tool.create({ path, file_text: LONG });
    expect(await tool.view({ path, view_range: [29_999, 30_001] })).toBe(
      `Here's the content of ${path} with line numbers:\n 29999\té"\\🦊 words\n 30000\té"\\🦊 words\n 30001\t`,
    );
    await tool.insert({ path, insert_line: 30_000, insert_text: "the end" });
    await tool.rename({ old_path: "/memories/a", new_path: "/memories/z" });
    const moved = "/memories/z/long";
    expect(await tool.view({ path: moved, view_range: [30_000, 30_001] })).toContain(
      ' 30000\té"\\🦊 words\n 30001\tthe end',
    );
    expect(await tool.view({ path: "/memories" })).toContain("439.5K\t/memories/z/long");
    expect((await memory.retrieve({ namespace: "memories", limit: 0 })).total).toBeGreaterThan(2);
    await tool.delete({ path: moved });
    expect((await memory.retrieve({ namespace: "memories", limit: 0 })).total).toBe(0);
  });

  it("report that they are too large or damaged, and are never cut", async () => {
    const small = memoryToolHandlers(memory, { fileBytesMax: 4 });
    expect(await resultOrError(small.create({ path: NOTES, file_text: "ééé" }))).toBe(
      words("The file would have 6 bytes. Maximum is 4."),
    );
    await small.create({ path: NOTES, file_text: "abcd" });
    expect(await resultOrError(small.insert({ path: NOTES, insert_line: 0, insert_text: "e" }))).toBe(
      words("The file would have 6 bytes. Maximum is 4."),
    );
    const path = "/memories/long";
    await tool.create({ path, file_text: LONG });
    const part = { field: "key.part", op: "eq", value: 2 } as const;
    await memory.forget({ namespace: "memories", tier: "episodic", where: part });
    expect(await resultOrError(tool.view({ path }))).toBe(
      words("The file /memories/long is damaged: a part of it is missing"),
    );
    expect(await tool.delete({ path })).toBe("Successfully deleted /memories/long");
  });

  it("are separate by agent and by namespace", async () => {
    const other = await host.connect({ agent: `agent${agents++}` });
    await tool.create({ path: NOTES, file_text: "mine" });
    await memoryToolHandlers(memory, { namespace: "memories/user2" }).create({
      path: NOTES,
      file_text: "12",
    });
    expect(await filesOf()).toMatch(/4B\t\/memories\n4B\t\/memories\/notes\.md$/);
    expect(await filesOf({ namespace: "memories/user2" })).toMatch(/2B\t\/memories\/notes\.md$/);
    expect(await resultOrError(memoryToolHandlers(other).view({ path: NOTES }))).toBe(
      words("The path /memories/notes.md does not exist. Please provide a valid path."),
    );
    expect(await memoryToolHandlers(other).view({ path: "/memories" })).toMatch(/modules:\n0B\t\/memories$/);
  });

  it("are found by their text", async () => {
    await tool.create({
      path: "/memories/trains.md",
      file_text: "The night train to Zürich leaves at nine.",
    });
    await tool.create({ path: "/memories/food.md", file_text: "Ada likes soup." });
    const { entries } = await memory.retrieve({ namespace: "memories", query: "train to Zürich", limit: 1 });
    expect(entries[0]).toMatchObject({ key: { file: "trains.md" }, metadata: { kind: "file", bytes: 42 } });
  });

  it("keep the fields that other programs stored with them", async () => {
    await tool.create({ path: NOTES, file_text: "one" });
    const [entry] = (await memory.retrieve({ namespace: "memories", tier: "episodic" })).entries;
    const content = { ...(entry!.content as object), language: "en" };
    await memory.inNamespace("memories").store({ ...entry!, content, tags: ["starred"] });
    await tool.str_replace({ path: NOTES, old_str: "one", new_str: "two" });
    await tool.rename({ old_path: NOTES, new_path: "/memories/b" });
    const { entries } = await memory.retrieve({ namespace: "memories", tier: "episodic" });
    expect(entries).toMatchObject([
      { key: { file: "b" }, content: { text: "two", language: "en" }, tags: ["starred"] },
    ]);
  });

  it("are shared with `MemoryFiles` of the layout 'flat'", async () => {
    const others = new MemoryFiles(memory, { namespace: "memories", layout: "flat" });
    await tool.create({ path: "/memories/d/here.md", file_text: "from the tool" });
    await others.write("/d/there.md", "from the others");
    expect((await others.ls("/d")).files.map(({ path }) => path)).toEqual(["/d/here.md", "/d/there.md"]);
    expect(await tool.view({ path: "/memories/d/there.md" })).toMatch(/from the others$/);
  });

  it("are shared with `MemoryFiles` of the layout 'folders' in the root, and not below it", async () => {
    const others = new MemoryFiles(memory, { namespace: "memories" });
    await tool.create({ path: "/memories/here.md", file_text: "from the tool" });
    await tool.create({ path: "/memories/d/here.md", file_text: "from the tool" });
    await others.write("/there.md", "from the others");
    await others.write("/d/there.md", "from the others");
    expect((await others.read("/here.md"))?.text).toBe("from the tool");
    expect(await others.read("/d/here.md")).toBeUndefined();
    const [, ...lines] = (await filesOf()).split("\n");
    const paths = lines.map((line) => line.split("\t")[1]);
    expect(paths).toEqual([
      ...["/memories", "/memories/d/", "/memories/d/here.md"],
      ...["/memories/here.md", "/memories/there.md"],
    ]);
  });

  it("can be renamed without a hash, or with an old hash, of other programs", async () => {
    const others = memory.inNamespace("memories");
    const file = (name: string, sha256: object) => ({
      key: { file: name },
      content: { text: `in ${name}` },
      metadata: { kind: "file", bytes: 8, ...sha256 },
      tier: "episodic" as const,
    });
    await others.store([file("d/none", {}), file("d/old", { sha256: "0".repeat(64) })]);
    await tool.rename({ old_path: "/memories/d/none", new_path: "/memories/alone" });
    await tool.rename({ old_path: "/memories/d", new_path: "/memories/e" });
    const { entries } = await memory.retrieve({ namespace: "memories", tier: "episodic" });
    const kept = entries
      .map(({ key, content }) => ({ key, content }))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    expect(kept).toEqual([
      { key: { file: "alone" }, content: { text: "in d/none" } },
      { key: { file: "e/old" }, content: { text: "in d/old" } },
    ]);
  });

  it("are listed up to 1,000, with the number of the others", async () => {
    const where = memory.inNamespace("memories");
    const files = Array.from({ length: 1_003 }, (_, n) => ({
      key: { file: `f${n}` },
      content: { text: "" },
      metadata: { kind: "file", bytes: 0 },
      tier: "episodic" as const,
    }));
    await where.store(files);
    const lines = (await tool.view({ path: "/memories" })).split("\n");
    expect(lines).toHaveLength(1_003);
    expect(lines.at(-1)).toBe("(3 more: view a directory of these)");
  });
});

describe("many at once", () => {
  it("edit one file without losing an edit", async () => {
    const clients = await Promise.all([1, 2, 3, 4].map(() => host.connect({ agent: memory.agent })));
    const tools = clients.map((client) => memoryToolHandlers(client, { attemptsMax: 1_000 }));
    await tool.create({ path: NOTES, file_text: "" });
    await Promise.all(
      tools.map(async (one, at) => {
        for (let n = 0; n < 20; n++) {
          await one.insert({ path: NOTES, insert_line: 0, insert_text: `writer ${at} line ${n}` });
        }
      }),
    );
    const lines = (await tool.view({ path: NOTES })).match(/writer \d line \d+/g)!;
    const expected = [0, 1, 2, 3].flatMap((at) =>
      Array.from({ length: 20 }, (_, n) => `writer ${at} line ${n}`),
    );
    expect(lines.toSorted()).toEqual(expected.toSorted());
  });

  it("create one file, and one of them succeeds", async () => {
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map((n) => resultOrError(tool.create({ path: NOTES, file_text: String(n) }))),
    );
    expect(outcomes.toSorted()).toEqual([
      "File created successfully at: /memories/notes.md",
      ...Array(3).fill(words("File /memories/notes.md already exists")),
    ]);
  });

  it("move one file to one path, with a concurrent edit", async () => {
    await tool.create({ path: NOTES, file_text: "0" });
    const moves = ["a", "b", "c"].map((to) => tool.rename({ old_path: NOTES, new_path: `/memories/${to}` }));
    const edit = tool.str_replace({ path: NOTES, old_str: "0", new_str: "1" });
    const outcomes = await Promise.all([...moves, edit].map(resultOrError));
    const { entries } = await memory.retrieve({ namespace: "memories", tier: "episodic" });
    expect(entries).toHaveLength(1);
    const isEdited = String(outcomes[3]).startsWith("The memory file has been edited");
    expect(entries[0]!.content).toMatchObject({ text: isEdited ? "1" : "0" });
    expect(outcomes.slice(0, 3).filter((result) => String(result).startsWith("Successfully"))).toHaveLength(
      1,
    );
  });
});

describe("an invalid command", () => {
  it("is reported with the reason", async () => {
    const execute = memoryToolExecute(memory);
    const run = (command: object) => resultOrError(execute(command as never));
    expect(await run({ command: "view" })).toMatch(/^MemoryToolError: Invalid command:\n[\s\S]*at path/);
    expect(await run({ command: "forget", path: NOTES })).toMatch(/^MemoryToolError: Invalid command/);
    expect(await run({ command: "view", path: "/memories/\u0000" })).toBe(
      words('Path "/memories/\\u0000" has a control character or an unpaired surrogate'),
    );
    expect(await run({ command: "view", path: `/memories/${"x".repeat(1_100)}` })).toBe(
      words("The path has 1110 characters. Maximum is 1024."),
    );
    await tool.create({ path: NOTES, file_text: "half \ud83d" });
    expect(await tool.view({ path: NOTES })).toMatch(/half \ufffd$/);
    expect(await run({ command: "insert", path: NOTES, insert_line: 0.5, insert_text: "" })).toBe(
      words(
        "Invalid `insert_line` parameter: 0.5. It should be within the range of lines of the file: [0, 1]",
      ),
    );
  });

  it("cannot choose another agent", async () => {
    const other = await host.connect({ agent: `agent${agents++}` });
    await memoryToolHandlers(other).create({ path: NOTES, file_text: "secret" });
    const command = { path: NOTES, agent: other.agent, namespace: "memories", tenant: "default" };
    await expect(tool.view(command)).rejects.toThrow(MemoryToolError);
  });
});

it("works with the tools of the Anthropic SDK and the AI SDK", async () => {
  const runnable = betaMemoryTool(tool);
  expect(await runnable.run({ command: "create", path: NOTES, file_text: "hello" })).toBe(
    "File created successfully at: /memories/notes.md",
  );
  const sdk = anthropic.tools.memory_20250818({ execute: memoryToolExecute(memory) });
  const view = { command: "view", path: NOTES } as const;
  expect(await sdk.execute!(view, { toolCallId: "1", messages: [] })).toBe(
    "Here's the content of /memories/notes.md with line numbers:\n     1\thello",
  );
  const abortSignal = AbortSignal.abort(new Error("stopped"));
  await expect(sdk.execute!(view, { toolCallId: "2", messages: [], abortSignal })).rejects.toThrow("stopped");
});

it("rejects unknown options", () => {
  expect(() => memoryToolHandlers(memory, { namespaces: "x" } as never)).toThrow(
    "unknown option `namespaces` (did you mean `namespace`?)",
  );
  expect(() => memoryToolHandlers(memory, { tier: "disk" as never })).toThrow(TypeError);
});

it("reports an error if no host answers", async () => {
  const lonely = await startRealHost();
  const impatient = await lonely.connect({ agent: "alice", timeoutMs: 200, retryTimeoutMs: 0 });
  await lonely.stopHost();
  await rejection(memoryToolHandlers(impatient).view({ path: "/memories" }), "unavailable");
});
