import type { EntryInput } from "@membus/agent-client";
import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { FileError, type FileErrorCode } from "../src/files/index.js";
import { MemoryFiles } from "../src/index.js";
import { openAgent } from "./agent-fixture.js";

async function refusal(work: Promise<unknown>, code: FileErrorCode): Promise<FileError> {
  const error: unknown = await work.then(
    () => "nothing was thrown",
    (reason: unknown) => reason,
  );
  if (!(error instanceof FileError)) return expect.fail(`expected a FileError, got ${String(error)}`);
  expect(error.code, error.message).toBe(code);
  return error;
}

async function filesWith(texts: Readonly<Record<string, string>>): Promise<MemoryFiles> {
  const files = new MemoryFiles(await openAgent());
  for (const [path, text] of Object.entries(texts)) await files.write(path, text);
  return files;
}

const pathsOf = (found: readonly { readonly path: string }[]) => found.map(({ path }) => path);

describe("a file", () => {
  it("is written, read, edited, moved and removed", async () => {
    const memory = await openAgent();
    const files = new MemoryFiles(memory);
    const written = await files.write("/notes/2026/may.md", "Zürich\r\nat nine\n");
    expect(written).toEqual({
      path: "/notes/2026/may.md",
      text: "Zürich\r\nat nine\n",
      bytes: 17,
      revision: written.revision,
    });
    expect(await files.read("notes/2026/may.md")).toEqual(written);
    const edited = await files.edit("/notes/2026/may.md", "nine", "$&ten");
    expect(edited).toMatchObject({ text: "Zürich\r\nat $&ten\n", replacements: 1 });
    expect(await files.move("/notes/2026/may.md", "/june.md")).toMatchObject({ path: "/june.md" });
    expect(await files.read("/notes/2026/may.md")).toBe(undefined);
    expect((await files.read("/june.md"))?.text).toBe("Zürich\r\nat $&ten\n");
    expect([await files.remove("/june.md"), await files.remove("/june.md")]).toEqual([1, 0]);
    expect((await memory.retrieve({ namespace: "files/**", limit: 0 })).total).toBe(0);
  });

  it("is a record in the namespace of its folder", async () => {
    const memory = await openAgent();
    await new MemoryFiles(memory).write("/a*b/100%/x", "hé");
    const { entries } = await memory.retrieve({ namespace: "files/a%2ab/100%25" });
    expect(entries).toMatchObject([
      {
        tier: "episodic",
        key: { file: "a*b/100%/x" },
        content: { text: "hé" },
        metadata: {
          kind: "file",
          bytes: 3,
          sha256: "7dfbe0eab96510b11c9a2671d83019cd52953211294db5f917ffa0b7cc84f534",
        },
      },
    ]);
  });

  it("is created once by two concurrent writers", async () => {
    const files = new MemoryFiles(await openAgent());
    const both = await Promise.allSettled([files.write("/a", "1"), files.write("/a", "2")]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await refusal(files.write("/a", "3"), "exists");
  });

  it("is replaced only over the revision that was read", async () => {
    const files = await filesWith({ "/a": "1" });
    const { revision } = (await files.read("/a"))!;
    const second = await files.write("/a", "2", { ifRevision: revision });
    const error = await refusal(files.write("/a", "3", { ifRevision: revision }), "conflict");
    expect(error.revision).toBe(second.revision);
    await refusal(files.edit("/a", "2", "3", { ifRevision: revision }), "conflict");
    await refusal(files.write("/b", "1", { ifRevision: revision }), "not_found");
    expect((await files.read("/a"))?.text).toBe("2");
  });

  it("is not edited if the text is missing or occurs more than once", async () => {
    const files = await filesWith({ "/a": "aaa b b" });
    await refusal(files.edit("/b", "x", "y"), "not_found");
    await refusal(files.edit("/a", "c", "y"), "no_match");
    await refusal(files.edit("/a", "aa", "y"), "ambiguous");
    expect(await files.edit("/a", "b", "", { all: true })).toMatchObject({ text: "aaa  ", replacements: 2 });
    await expect(files.edit("/a", "", "x")).rejects.toThrow(TypeError);
    await expect(files.edit("/a", "x", "x")).rejects.toThrow(TypeError);
  });

  it("is rejected if it has more than `fileBytesMax` bytes", async () => {
    const files = new MemoryFiles(await openAgent(), { fileBytesMax: 4 });
    await files.write("/a", "abcd");
    const error = await refusal(files.write("/large", "ééé"), "too_large");
    expect(error.message).toBe("/large: file too large: 6 bytes, limit 4. Split it into several files");
    expect(error.bytes).toBe(6);
    await refusal(files.edit("/a", "a", "ée"), "too_large");
    await refusal(
      files.update("/a", (text) => `${text}.`),
      "too_large",
    );
    expect(await files.read("/large")).toBe(undefined);
    expect((await files.read("/a"))?.text).toBe("abcd");
  });

  it.each(["folders", "flat"] as const)("may be larger than an entry in the layout %s", async (layout) => {
    const memory = await openAgent();
    const files = new MemoryFiles(memory, { layout });
    const text = 'é"🦊 words\n'.repeat(30_000);
    await files.write("/a/b/large", text);
    expect((await files.edit("/a/b/large", "words", "lines", { all: true })).replacements).toBe(30_000);
    await files.move("/a/b/large", "/a/c/moved");
    expect(await files.list("/a")).toEqual([{ path: "/a/c/moved", bytes: Buffer.byteLength(text) }]);
    expect((await files.grep("lines", { limit: 1 })).files).toMatchObject([
      { path: "/a/c/moved", count: 30_000 },
    ]);
    expect(await files.remove("/a/")).toBe(1);
    expect((await memory.retrieve({ namespace: "files/**", limit: 0 })).total).toBe(0);
  });

  it("is reported as damaged if a part is missing", async () => {
    const memory = await openAgent();
    const files = new MemoryFiles(memory);
    await files.write("/large", "x".repeat(500_000));
    const where = { field: "key.part", op: "eq", value: 2 } as const;
    await memory.forget({ namespace: "files", tier: "episodic", where });
    await refusal(files.read("/large"), "damaged");
    expect(await files.remove("/large")).toBe(1);
  });

  it("is changed by a function of its text, once for each concurrent writer", async () => {
    const files = await filesWith({ "/a": "" });
    const numbers = Array.from({ length: 8 }, (_, n) => String(n));
    await Promise.all(numbers.map((n) => files.update("/a", (text) => text + n)));
    expect([...(await files.read("/a"))!.text].toSorted()).toEqual(numbers);
    const failing = files.update("/a", () => {
      throw new RangeError("stop");
    });
    await expect(failing).rejects.toThrow(new RangeError("stop"));
    await refusal(
      files.update("/b", (text) => text),
      "not_found",
    );
  });

  it("is not moved over another file, or from a missing one", async () => {
    const files = await filesWith({ "/a": "1", "/b": "2" });
    await refusal(files.move("/a", "/b"), "exists");
    await refusal(files.move("/c", "/d"), "not_found");
    await expect(files.move("/a", "a")).rejects.toThrow(TypeError);
    expect([(await files.read("/a"))?.text, (await files.read("/b"))?.text]).toEqual(["1", "2"]);
  });
});

describe("a file that another program wrote", () => {
  const foreign: EntryInput = {
    key: { file: "a/b" },
    content: { text: "one", language: "en" },
    metadata: { kind: "file", bytes: 3, mode: 420 },
    tags: ["kept"],
    tier: "episodic",
    importance: 0.25,
    context: "of old",
  };

  it("keeps unknown fields, also after a move", async () => {
    const memory = await openAgent();
    const files = new MemoryFiles(memory);
    await memory.inNamespace("files/a").store(foreign);
    await files.edit("/a/b", "one", "two");
    await files.move("/a/b", "/c");
    const { entries } = await memory.retrieve({ namespace: "files/**", include: ["context"] });
    expect(entries).toMatchObject([
      {
        namespace: "files",
        key: { file: "c" },
        content: { text: "two", language: "en" },
        metadata: { kind: "file", bytes: 3, mode: 420 },
        tags: ["kept"],
        importance: 0.25,
        context: "of old",
      },
    ]);
  });

  it("is moved without a hash, and found by its new text after an edit", async () => {
    const memory = await openAgent();
    const files = new MemoryFiles(memory);
    await memory.inNamespace("files/a").store({ ...foreign, text: "penguin" });
    await files.move("/a/b", "/c");
    await files.edit("/c", "one", "ostrich");
    const found = async (query: string) =>
      (await memory.retrieve({ namespace: "files/**", query, mode: "text" })).entries.length;
    expect([await found("penguin"), await found("ostrich")]).toEqual([0, 1]);
  });

  it("is ignored if its kind or form is different", async () => {
    const memory = await openAgent();
    const files = new MemoryFiles(memory);
    const { metadata, ...bare } = foreign;
    await memory.inNamespace("files/a").store([
      { ...bare, key: { note: "x" } },
      { ...bare, key: { file: "a/c" } },
      { ...foreign, key: { file: "a/d" }, content: { text: 1 } },
    ]);
    expect([await files.read("/a/c"), await files.read("/a/d")]).toEqual([undefined, undefined]);
    expect((await files.grep(".")).files).toEqual([]);
  });
});

describe("a path", () => {
  it.each([
    ["", "no name"],
    ["/", "the root"],
    ["/a/", "a folder"],
    ["//a", "an empty name"],
    ["/a/../b", "a way out"],
    ["/./a", "a dot"],
    ["/a\u0000", "a control"],
    ["/a\nb", "a line end"],
    ["/\ud800", "half a character"],
    [`/${"n".repeat(256)}`, "a long name"],
    [`/${"f".repeat(65)}/a`, "a long folder"],
    [`/${"*".repeat(22)}/a`, "a folder that is long as a segment"],
    ["/1/2/3/4/5/6/7/8/a", "many folders"],
  ])("rejects %j: %s", async (path) => {
    const files = new MemoryFiles(await openAgent());
    await expect(files.read(path)).rejects.toThrow(TypeError);
    await expect(files.write(path, "")).rejects.toThrow(TypeError);
    await expect(files.edit(path, "a", "b")).rejects.toThrow(TypeError);
    await expect(files.move("/a", path)).rejects.toThrow(TypeError);
  });

  it("is the same in every form of Unicode, and with or without the leading /", async () => {
    const files = await filesWith({ "/Zu\u0308rich/a\u0308": "1" });
    expect((await files.read("Z\u00fcrich/\u00e4"))?.path).toBe("/Z\u00fcrich/\u00e4");
    await refusal(files.write("Z\u00fcrich/\u00e4", "2"), "exists");
    expect(pathsOf((await files.glob("**/a\u0308")).files)).toEqual(["/Z\u00fcrich/\u00e4"]);
  });

  it("may have any other characters, and a folder may have the name of a file", async () => {
    const paths = [
      "/%2a",
      "/*",
      "/%",
      "/a",
      "/a/a",
      "/A",
      "/...",
      "/ ",
      "/a\\b",
      "/[x]{y}?",
      "/🦊/🦊",
      "/%2a/x",
      "/*/x",
    ];
    const files = await filesWith(Object.fromEntries(paths.map((path) => [path, path])));
    for (const path of paths) expect((await files.read(path))?.text).toBe(path);
    expect(pathsOf((await files.glob("**")).files)).toEqual(paths.toSorted());
    expect(pathsOf((await files.ls()).folders)).toEqual(["/%2a/", "/*/", "/a/", "/🦊/"]);
    expect(await files.remove("/*/")).toBe(1);
    expect((await files.read("/%2a/x"))?.text).toBe("/%2a/x");
  });
});

describe("files", () => {
  const TREE = { "/a.md": "1", "/n/b.md": "22", "/n/c.txt": "3", "/n/m/d.md": "4", "/o/e.md": "5" };

  it("are listed by folder, with the number of files below it and the time of the last change", async () => {
    const files = await filesWith(TREE);
    const { folders, files: found } = await files.ls();
    expect(folders.map(({ path, count }) => [path, count])).toEqual([
      ["/n/", 3],
      ["/o/", 1],
    ]);
    expect(found).toMatchObject([{ path: "/a.md", count: 1 }]);
    expect(folders[0]!.bytes).toBeGreaterThan(found[0]!.bytes);
    expect(pathsOf((await files.ls("/n")).files)).toEqual(["/n/b.md", "/n/c.txt"]);
    expect(pathsOf((await files.ls("n/")).folders)).toEqual(["/n/m/"]);
    expect(await files.ls("/nowhere")).toEqual({ folders: [], files: [] });
    const before = (await files.ls("/n/m")).files[0]!.changed;
    await files.edit("/n/m/d.md", "4", "5");
    expect((await files.ls("/n")).folders[0]!.changed).toBeGreaterThan(before);
  });

  it.each([
    ["*.md", "/", ["/a.md"]],
    ["**/*.md", "/", ["/a.md", "/n/b.md", "/n/m/d.md", "/o/e.md"]],
    ["*", "/n", ["/n/b.md", "/n/c.txt"]],
    ["**", "/n/", ["/n/b.md", "/n/c.txt", "/n/m/d.md"]],
    ["/o/*", "/", ["/o/e.md"]],
    ["/o/*", "/n", []],
    ["{n,o}/[b-e].{md,txt}", "/", ["/n/b.md", "/n/c.txt", "/o/e.md"]],
    ["n/**/d.md", "/", ["/n/m/d.md"]],
    ["n/?.md", "/", ["/n/b.md"]],
    ["nothing*", "/", []],
  ])("are found by the glob %s in %s", async (glob, folder, expected) => {
    const files = await filesWith(TREE);
    expect(await files.glob(glob, { folder })).toMatchObject({
      files: expected.map((path) => ({ path })),
      isComplete: true,
    });
  });

  it("are listed up to a limit, with a flag that there are more", async () => {
    const files = await filesWith(TREE);
    expect(pathsOf((await files.glob("**", { limit: 2 })).files)).toEqual(["/a.md", "/n/b.md"]);
    expect((await files.glob("**", { limit: 4 })).isComplete).toBe(false);
    expect((await files.glob("**", { limit: 5 })).isComplete).toBe(true);
    await expect(files.glob("**", { limit: 0 })).rejects.toThrow(TypeError);
    await expect(files.glob("**", { folders: "/" } as never)).rejects.toThrow("did you mean `folder`?");
  });

  it("of a folder are removed together, but never the root", async () => {
    const files = await filesWith(TREE);
    expect(await files.remove("/n")).toBe(0);
    expect(await files.remove("/n/")).toBe(3);
    await expect(files.remove("/")).rejects.toThrow(TypeError);
    expect(pathsOf((await files.glob("**")).files)).toEqual(["/a.md", "/o/e.md"]);
  });

  it("are shared with other agents only in the semantic tier, and within one namespace", async () => {
    const alice = await openAgent();
    const bob = alice.forAgent("bob");
    const shared = { tier: "semantic" } as const;
    await new MemoryFiles(alice, shared).write("/a", "shared");
    await new MemoryFiles(alice).write("/a", "own");
    expect((await new MemoryFiles(bob, shared).read("/a"))?.text).toBe("shared");
    expect(await new MemoryFiles(bob).read("/a")).toBe(undefined);
    expect(await new MemoryFiles(alice, { namespace: "team/files" }).read("/a")).toBe(undefined);
    await refusal(new MemoryFiles(bob, shared).write("/a", "mine"), "exists");
  });

  it("in more folders than a listing supports are rejected, and can be read one by one", async () => {
    const files = new MemoryFiles(await openAgent());
    for (let n = 0; n < 257; n++) await files.write(`/many/${n}/x`, `${n}`);
    await rejection(files.glob("**"), "too_large");
    await rejection(files.ls("/many"), "too_large");
    expect((await files.ls("/many/256")).files).toHaveLength(1);
    expect((await files.read("/many/256/x"))?.text).toBe("256");
  });
});

describe("the layout 'flat'", () => {
  it("keeps files of deep folders in one namespace", async () => {
    const memory = await openAgent();
    const files = new MemoryFiles(memory, { layout: "flat" });
    const deep = `/${"folder/".repeat(20)}x`;
    for (const path of [deep, "/a/b", "/a/c/d", "/e"]) await files.write(path, path);
    expect((await memory.retrieve({ namespace: "files", limit: 0 })).total).toBe(4);
    const { folders, files: found } = await files.ls();
    expect(folders.map(({ path, count }) => [path, count])).toEqual([
      ["/a/", 2],
      ["/folder/", 1],
    ]);
    expect(pathsOf(found)).toEqual(["/e"]);
    expect(pathsOf((await files.ls("/a")).folders)).toEqual(["/a/c/"]);
    expect(pathsOf((await files.glob("**/d")).files)).toEqual(["/a/c/d"]);
    expect((await files.list("/a")).map(({ path }) => path).toSorted()).toEqual(["/a/b", "/a/c/d"]);
    expect(await files.remove("/a/")).toBe(2);
    await expect(files.read(`/${"x".repeat(1_025)}`)).rejects.toThrow("has 1025 characters, limit 1024");
  });

  it.each(["folders", "flat"] as const)(
    "returns which files and folders exist in the layout %s",
    async (layout) => {
      const files = new MemoryFiles(await openAgent(), { layout });
      await files.write("/a/b", "");
      const exists = ["/a/b", "/a", "/a/b/c", "/A", "/ab"].map((path) => files.exists(path));
      expect(await Promise.all(exists)).toEqual([true, true, false, false, false]);
      expect(await files.findFile(["/a", "/a/b"])).toBe("/a/b");
      expect(await files.findFile(["/a", "/b"])).toBe(undefined);
      expect(await files.findFile([])).toBe(undefined);
    },
  );
});
