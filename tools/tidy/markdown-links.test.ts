import { expect, it } from "vitest";
import { FILES, readText } from "./repository.js";
import { checkMarkdownLinks } from "./rules/markdown-links.js";

const EXAMPLE = new Map([
  ["README.md", "# One `two`: three!\n\n# Again\n\n# Again\n"],
  ["docs/a.md", "# A\n"],
]);

const check = (link: string, path = "docs/a.md") =>
  checkMarkdownLinks(path, new Map([...EXAMPLE, [path, `# A\n${link}`]]), [
    "README.md",
    "docs/a.md",
    "bus/src/a.ts",
  ]);

it("holds in every document", () => {
  const paths = FILES.filter((path) => path.endsWith(".md"));
  const documents = new Map(paths.map((path) => [path, readText(path)]));
  expect(paths.flatMap((path) => checkMarkdownLinks(path, documents, FILES))).toEqual([]);
});

it.each([
  "[a](../README.md)",
  "[a](../README.md#one-two-three)",
  "[a](../README.md#again-1)",
  "[a](#a)",
  "[a](../bus/src)",
  "[a](../bus/)",
  '[a](../README.md "title")',
  "[a](https://example.com/x)",
  "`[a](gone.md)`",
  "```\n[a](gone.md)\n```",
])("accepts %j", (link) => {
  expect(check(link)).toEqual([]);
});

it.each([
  ["[a](gone.md)", "docs/a.md:2 gone.md does not exist"],
  ["![a](gone.svg)", "docs/a.md:2 gone.svg does not exist"],
  ["[a]: gone.md", "docs/a.md:2 gone.md does not exist"],
  ['<img src="gone.svg">', "docs/a.md:2 gone.svg does not exist"],
  ["[a](../README.md#four)", "docs/a.md:2 ../README.md#four is no heading there"],
  ["[a](#four)", "docs/a.md:2 #four is no heading there"],
  ["[a](../bu)", "docs/a.md:2 ../bu does not exist"],
])("finds %j", (link, problem) => {
  expect(check(link)).toEqual([problem]);
});
