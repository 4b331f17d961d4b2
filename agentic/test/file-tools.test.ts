import { expect, it } from "vitest";
import { fileTools } from "../src/files/index.js";
import { callTool, MemoryFiles, toOpenAiTools } from "../src/index.js";
import { openAgent } from "./agent-fixture.js";

async function openTools() {
  const files = new MemoryFiles(await openAgent());
  const tools = fileTools(files);
  const call = (name: string, args: object) =>
    callTool(tools, { id: "1", name, arguments: JSON.stringify(args) });
  return { files, tools, call };
}

it("are eight tools with a form for a model", async () => {
  const { tools } = await openTools();
  const names = ["ls", "glob", "grep", "read", "write", "edit", "remove", "move"];
  expect(toOpenAiTools(tools).map(({ function: { name } }) => name)).toEqual(names);
});

it("write a file, and replace it only over the revision that was read", async () => {
  const { files, call } = await openTools();
  expect(await call("write", { file_path: "/n/a.md", content: "one\ntwo\n" })).toMatch(
    /^Wrote \/n\/a\.md: 8 bytes, revision \d+\.$/,
  );
  const { revision } = (await files.read("/n/a.md"))!;
  expect(await call("read", { file_path: "/n/a.md" })).toBe(
    `/n/a.md, revision ${revision}: 2 lines\n     1\tone\n     2\ttwo`,
  );
  expect(await call("write", { file_path: "/n/a.md", content: "x" })).toBe(
    "write failed: /n/a.md: the file already exists",
  );
  await files.edit("/n/a.md", "one", "1");
  expect(await call("write", { file_path: "/n/a.md", content: "x", revision })).toMatch(
    /^write failed: \/n\/a\.md: the file has changed. Its revision is \d+$/,
  );
  const now = (await files.read("/n/a.md"))!.revision;
  expect(await call("write", { file_path: "/n/a.md", content: "x", revision: now })).toMatch(/^Wrote/);
});

it("read a range of lines, and cut long ones", async () => {
  const { files, call } = await openTools();
  await files.write("/a", `${"x".repeat(3_000)}\r\n\r\nthree\nfour`);
  const text = await call("read", { file_path: "a", offset: 2, limit: 2 });
  expect(text.split("\n").slice(1)).toEqual(["     2\t", "     3\tthree"]);
  expect(text).toMatch(/^\/a, revision \d+: 4 lines, lines 2 to 3\n/);
  expect(await call("read", { file_path: "a", limit: 1 })).toMatch(/x{2000} \[cut: 3000 characters\]$/);
  expect(await call("read", { file_path: "a", offset: 5 })).toMatch(/^\/a, revision \d+: 4 lines$/);
  expect(await call("read", { file_path: "/b" })).toBe("There is no file /b.");
  await files.write("/empty", "");
  expect(await call("read", { file_path: "/empty" })).toMatch(/^\/empty, revision \d+: 0 lines$/);
});

it("edit a file, and report errors", async () => {
  const { files, call } = await openTools();
  await files.write("/a", "x y x");
  const edit = (old_string: string, more: object = {}) =>
    call("edit", { file_path: "/a", old_string, new_string: "z", ...more });
  expect(await edit("q")).toBe("edit failed: /a: the text to replace is not in the file");
  expect(await edit("x")).toMatch(/^edit failed: \/a: the text to replace is in the file more than once/);
  expect(await edit("x", { replace_all: true })).toMatch(/^Replaced 2 in \/a: revision \d+\.$/);
  expect((await files.read("/a"))?.text).toBe("z y z");
  expect(await call("edit", { file_path: "/../a", old_string: "a", new_string: "b" })).toMatch(
    /^edit failed: path "\/\.\.\/a" has an empty name/,
  );
});

it("list, find and search files", async () => {
  const { files, call } = await openTools();
  await files.write("/n/a.md", "train\nbus\ntrain");
  await files.write("/b.md", "train");
  const b = (await files.ls()).files[0]!.bytes;
  const n = (await files.ls()).folders[0]!.bytes;
  expect(await call("ls", {})).toBe(`/n/ (1 files, ${n} bytes)\n/b.md (${b} bytes)`);
  expect(await call("ls", { path: "/x" })).toBe("There are no files in /x.");
  expect(await call("glob", { pattern: "**/*.md" })).toBe("/b.md\n/n/a.md");
  expect(await call("glob", { pattern: "*.txt" })).toBe("No file matches.");
  expect(await call("grep", { pattern: "tr.in" })).toBe("/b.md:1:train\n/n/a.md:1:train\n/n/a.md:3:train");
  expect(await call("grep", { pattern: "BUS", ignore_case: true, output_mode: "count" })).toBe("/n/a.md:1");
  expect(await call("grep", { pattern: "t", path: "/n", output_mode: "files_with_matches" })).toBe("/n/a.md");
  expect(await call("grep", { pattern: "tram" })).toBe("No line matches.");
  expect(await call("grep", { pattern: "train", glob: "a*", head_limit: 1 })).toBe(
    "/n/a.md:1:train\n[incomplete: not all files were searched. Search a folder, or use a narrower pattern]",
  );
  expect(await call("grep", { pattern: "(" })).toMatch(/^grep failed: invalid pattern/);
});

it("move and remove files", async () => {
  const { call } = await openTools();
  await call("write", { file_path: "/n/a.md", content: "x" });
  expect(await call("move", { old_path: "/n/a.md", new_path: "/m/b.md" })).toBe("Moved /n/a.md to /m/b.md.");
  expect(await call("move", { old_path: "/n/a.md", new_path: "/c" })).toBe(
    "move failed: /n/a.md: no such file",
  );
  expect(await call("remove", { path: "/m" })).toBe("There is no file /m. The path of a folder ends with /.");
  expect(await call("remove", { path: "/m/" })).toBe("Removed /m/: 1 files.");
  expect(await call("ls", {})).toBe("There are no files in /.");
});
