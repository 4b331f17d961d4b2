import ts from "typescript";
import { descendants, lineOf } from "../syntax.js";

/** A paragraph, comment or message, and the line that it starts on. */
export interface ProseText {
  readonly line: number;
  readonly text: string;
  readonly isMarkdown: boolean;
}

const COMMENT_LINE = {
  code: /^\s*(?:\/\/|\/\*\*?|\*(?!\/))\s?(.*?)(?:\s*\*\/)?\s*$/,
  script: /^\s*#(?!!)\s?(.*)$/,
};

/** Paragraphs, headings, list items and table cells of a Markdown file, without code blocks and HTML. */
export function markdownTexts(markdown: string): ProseText[] {
  const blank = (part: string) => part.replace(/[^\n]/g, " ");
  const lines = markdown
    .replace(/^([ \t]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^[ \t]*\2/gm, blank)
    .replace(/^---\n[\s\S]*?\n---\n/, blank)
    .replace(/<!--[\s\S]*?-->|<\/?[a-z][^>]*>/g, blank)
    .split("\n");
  return paragraphs(
    lines.flatMap((line, index) =>
      line.split(/^\s*\||(?<!\\)\|/).map((cell) => ({ line: index + 1, text: cell })),
    ),
    /^\s*(?:#+|[-*+]|\d+\.|>)\s/,
  ).map((text) => ({ ...text, isMarkdown: true }));
}

/** Comments of a source file, by paragraph. Only whole-line comments count. */
export function commentTexts(path: string, text: string): ProseText[] {
  const pattern = /\.(?:[cm]?[jt]sx?|css)$/.test(path) ? COMMENT_LINE.code : COMMENT_LINE.script;
  const lines = text
    .split("\n")
    .map((line, index) => ({ line: index + 1, text: pattern.exec(line)?.[1] ?? "" }));
  return paragraphs(lines, /^\s*(?:@\w+|[-*] |\d+\. )/).map((part) => ({ ...part, isMarkdown: false }));
}

/** String literals of a TypeScript file that read like a sentence: errors, help texts, log lines, test names. */
export function messageTexts(source: ts.SourceFile): ProseText[] {
  return [...descendants(source)].flatMap((node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    if (!isText || ts.isImportDeclaration(node.parent)) return [];
    const text = node
      .getText()
      .slice(1, -1)
      .replace(/\$\{[^}]*\}/g, "`x`");
    return /[a-z]{2,} [a-z]+ [a-z]{2,}/.test(text) ? [{ line: lineOf(node), text, isMarkdown: false }] : [];
  });
}

/** Joins lines until a blank one, or one that `start` matches: a list item, a heading, a tag. */
function paragraphs(lines: readonly { line: number; text: string }[], start: RegExp) {
  const found: { line: number; text: string }[] = [];
  let isOpen = false;
  let lastLine = 0;
  for (const { line, text } of lines) {
    const begins = start.test(text) || line === lastLine;
    const content = text.replace(start, "").trim();
    const last = found.at(-1);
    if (content === "") isOpen = false;
    else if (isOpen && !begins && last !== undefined) last.text += ` ${content}`;
    else found.push({ line, text: content });
    isOpen = content !== "" && !/^\s*#/.test(text);
    lastLine = line;
  }
  return found;
}
