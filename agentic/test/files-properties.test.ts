import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileError } from "../src/files/index.js";
import { MemoryFiles } from "../src/index.js";
import { openAgent } from "./agent-fixture.js";

/** Files as a map of texts. Operations return their result or the code of their error. */
class PlainFiles {
  readonly texts = new Map<string, string>();

  write(path: string, text: string): string {
    if (this.texts.has(path)) return "exists";
    this.texts.set(path, text);
    return text;
  }

  rewrite(path: string, text: string): string {
    if (!this.texts.has(path)) return "not_found";
    this.texts.set(path, text);
    return text;
  }

  edit(path: string, found: string, by: string, all: boolean): string {
    const text = this.texts.get(path);
    if (text === undefined) return "not_found";
    const first = text.indexOf(found);
    if (first === -1) return "no_match";
    if (!all && text.indexOf(found, first + 1) !== -1) return "ambiguous";
    this.texts.set(
      path,
      text.replaceAll(found, () => by),
    );
    return this.texts.get(path)!;
  }

  move(from: string, to: string): string {
    const text = this.texts.get(from);
    if (text === undefined) return "not_found";
    if (this.texts.has(to)) return "exists";
    this.texts.delete(from);
    this.texts.set(to, text);
    return text;
  }

  remove(path: string): number {
    return Number(this.texts.delete(path));
  }

  removeBelow(folder: string): number {
    const paths = [...this.texts.keys()].filter((path) => path.startsWith(folder));
    for (const path of paths) this.texts.delete(path);
    return paths.length;
  }

  ls(folder: string): string[] {
    const below = [...this.texts.keys()].filter((path) => path.startsWith(folder));
    const names = below.map((path) => /^[^/]*\/?/.exec(path.slice(folder.length))![0]);
    return [...new Set(names.map((name) => folder + name))].sort();
  }

  paths(isFound: (path: string) => boolean): string[] {
    return [...this.texts.keys()].filter(isFound).sort();
  }
}

const name = fc.constantFrom("a", "b", "*", "%2a", "é", ".x");
const folder = fc.array(name, { maxLength: 2 }).map((names) => names.map((one) => `${one}/`).join(""));
const path = fc.tuple(folder, name).map(([below, last]) => `/${below}${last}`);
const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r\n", "é", "$&"), maxLength: 6 });
const word = text.filter((one) => one !== "");

/** Globs with equivalent regular expressions. */
const GLOBS: Readonly<Record<string, RegExp>> = {
  "**": /^/,
  "*": /^[^/]+$/,
  "a/*": /^a\/[^/]+$/,
  "**/a": /(^|\/)a$/,
  "?": /^[^/]$/,
  "{a,b}/**": /^[ab]\//,
  "[ab]*": /^[ab][^/]*$/,
};

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("write" as const), path, text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("rewrite" as const), path, text }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("edit" as const),
      path,
      found: word,
      by: text,
      all: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("move" as const), path, to: path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("removeBelow" as const), folder }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("ls" as const), folder }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("glob" as const),
      glob: fc.constantFrom(...Object.keys(GLOBS)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("grep" as const), word: fc.constantFrom("a", "ab", "é") }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Returns the text of the file after the operation, or the code of the error. */
async function resultOf(work: Promise<{ readonly text: string }>): Promise<string> {
  try {
    return (await work).text;
  } catch (error) {
    if (error instanceof FileError) return error.code;
    throw error;
  }
}

async function rewrite(files: MemoryFiles, path: string, content: string): Promise<string> {
  const ifRevision = (await files.read(path))?.revision ?? 1;
  return resultOf(files.write(path, content, { ifRevision }));
}

async function take(files: MemoryFiles, plain: PlainFiles, taken: Step): Promise<void> {
  switch (taken.do) {
    case "write":
      expect(await resultOf(files.write(taken.path, taken.text))).toBe(plain.write(taken.path, taken.text));
      break;
    case "rewrite":
      expect(await rewrite(files, taken.path, taken.text)).toBe(plain.rewrite(taken.path, taken.text));
      break;
    case "edit": {
      const { path: edited, found, by, all } = taken;
      if (found === by) return;
      expect(await resultOf(files.edit(edited, found, by, { all }))).toBe(plain.edit(edited, found, by, all));
      break;
    }
    case "move":
      if (taken.path === taken.to) return;
      expect(await resultOf(files.move(taken.path, taken.to))).toBe(plain.move(taken.path, taken.to));
      break;
    case "remove":
      expect(await files.remove(taken.path)).toBe(plain.remove(taken.path));
      break;
    case "removeBelow":
      if (taken.folder === "") return;
      expect(await files.remove(`/${taken.folder}`)).toBe(plain.removeBelow(`/${taken.folder}`));
      break;
    default:
      await look(files, plain, taken);
  }
}

async function look(
  files: MemoryFiles,
  plain: PlainFiles,
  taken: Extract<Step, { readonly do: "ls" | "glob" | "grep" }>,
): Promise<void> {
  if (taken.do === "ls") {
    const listing = await files.ls(`/${taken.folder}`);
    const paths = [...listing.folders, ...listing.files].map((one) => one.path);
    expect(paths.toSorted()).toEqual(plain.ls(`/${taken.folder}`));
    return;
  }
  const found = taken.do === "glob" ? await files.glob(taken.glob) : await files.grep(taken.word);
  const isFound = (one: string) =>
    taken.do === "glob" ? GLOBS[taken.glob]!.test(one.slice(1)) : plain.texts.get(one)!.includes(taken.word);
  expect(found.isComplete).toBe(true);
  expect(found.files.map((one) => one.path)).toEqual(plain.paths(isFound));
}

describe("files", () => {
  it("behave like a map of texts in random operations", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const memory = await openAgent();
        const plain = new PlainFiles();
        for (const taken of steps) await take(new MemoryFiles(memory), plain, taken);
        const files = new MemoryFiles(memory);
        for (const [path, expected] of plain.texts) expect((await files.read(path))?.text).toBe(expected);
        expect((await files.glob("**")).files.map(({ path }) => path)).toEqual(plain.paths(() => true));
      }),
      { numRuns: 60 },
    );
  });
});
