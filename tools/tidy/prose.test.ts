import { expect, it } from "vitest";
import { lintProse } from "./prose/prose-lint.js";
import { PROSE_RULES } from "./prose/prose-rules.js";
import { commentTexts, markdownTexts, messageTexts } from "./prose/prose-texts.js";
import { FILES, readText, SOURCES } from "./repository.js";
import { parseSource } from "./syntax.js";

/** The rules themselves, generated lists of ids, and texts that tests store or search. */
const EXEMPT = [
  /^tools\/tidy\/prose/,
  /^conformance\/TRACEABILITY\.md$/,
  /^cli\/evaluation-set\//,
  /^plugins\/kit\/src\/search\/analyzer\/english-words\.ts$/,
  /^plugins\/kit\/test\/(analyzer-english|read-diversity|read-expand)\.test\.ts$/,
  /^plugins\/languages\/test\/multilingual\.test\.ts$/,
  /^protocol\/test\/exports\.test\.ts$/,
  /^cli\/test\/(cli-entries|shipped-evaluation-set)\.slow\.test\.ts$/,
  /^gateway\/inspector\/test\/live\.slow\.test\.ts$/,
  /^integrations\/(frameworks\/test\/one-fact|mcp\/test\/process)\.slow\.test\.ts$/,
];
const isExempt = (path: string) => EXEMPT.some((pattern) => pattern.test(path));

const lintMarkdown = (text: string) => lintProse("a.md", markdownTexts(text));
const lintComment = (text: string) => lintProse("a.ts", commentTexts("a.ts", text));

it("finds nothing in the Markdown files", () => {
  const paths = FILES.filter((path) => path.endsWith(".md") && !isExempt(path));
  expect(paths.flatMap((path) => lintProse(path, markdownTexts(readText(path))))).toEqual([]);
});

it("finds nothing in comments", () => {
  const paths = FILES.filter((path) => /\.([cm]?[jt]sx?|py|css|ya?ml|sh)$/.test(path) && !isExempt(path));
  expect(paths.flatMap((path) => lintProse(path, commentTexts(path, readText(path))))).toEqual([]);
});

it("finds nothing in error messages, help texts and test names", () => {
  const sources = SOURCES.filter(({ fileName }) => !isExempt(fileName));
  expect(sources.flatMap((source) => lintProse(source.fileName, messageTexts(source)))).toEqual([]);
});

it.each(PROSE_RULES)("finds a text that breaks the rule $name", ({ name, bad }) => {
  expect(lintMarkdown(bad).filter((finding) => finding.includes(`(${name})`))).toHaveLength(1);
});

it("finds sentences of more than 25 words, and counts inline code as one word", () => {
  const words = (count: number) => `${"Word ".repeat(count - 1)}\`two words\`.`;
  expect(lintMarkdown(`A b. ${words(25)}\n\n- ${words(25)}`)).toEqual([]);
  expect(lintMarkdown(`A b.\n${words(26)}`)).toEqual([
    'a.md:1 "Word Word Word Word Word Word ..." has 26 words: make two sentences of it',
  ]);
});

it("ignores code blocks, front matter, HTML and link targets", () => {
  const text = "---\na: anew\n---\n\n```sh\nanew\n```\n<img alt='anew'> [new](anew.md) `anew`\n";
  expect(lintMarkdown(text)).toEqual([]);
});

it("reads comments by paragraph, list item and tag", () => {
  const code = "/**\n * Fine\n * here.\n *\n * @returns One anew\n */\nf(); // anew\n\n// One\n// anew.\n";
  expect(lintComment(code)).toEqual([
    'a.ts:5 "anew" (word: anew): use a current word',
    'a.ts:9 "anew" (word: anew): use a current word',
  ]);
});

it("reads strings that look like sentences", () => {
  const source = parseSource("a.ts", 'f("starts quite soon anew", "anew"); import "it is all anew";');
  expect(lintProse("a.ts", messageTexts(source))).toEqual(['a.ts:1 "anew" (word: anew): use a current word']);
});
