import type { Finding } from "../syntax.js";
import { PROSE_RULES, SENTENCE_WORDS_MAX } from "./prose-rules.js";
import type { ProseText } from "./prose-texts.js";

/** Sentences of these texts that break a rule of the language, or are too long. */
export function lintProse(path: string, texts: readonly ProseText[]): Finding[] {
  return texts.flatMap(({ line, text, isMarkdown }) => {
    const prose = withoutCode(text);
    const broken = PROSE_RULES.filter((rule) => isMarkdown || !rule.isMarkdownOnly).flatMap((rule) => {
      const match = rule.pattern.exec(prose)?.[0].trim();
      return match === undefined ? [] : [`${path}:${line} "${match}" (${rule.name}): ${rule.advice}`];
    });
    // Columns of a help text and HTML are not sentences.
    if (/\n {2}|<\/?[a-z]+[ >]/.test(text)) return broken;
    return [...broken, ...sentences(prose).flatMap((sentence) => lengthFinding(path, line, sentence))];
  });
}

/** Replaces code, link targets and quoted terms by one word each. */
function withoutCode(text: string): string {
  return text
    .replace(/`[^`]*`/g, "code")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\{@link [^}]*\}/g, "code")
    .replace(/https?:\/\/\S+/g, "code");
}

function sentences(prose: string): string[] {
  return prose.split(/(?<=[.!?:;])\s+(?=[A-Z(\d"'*]|code\b)|(?<=[:;])\s+/);
}

function lengthFinding(path: string, line: number, sentence: string): Finding[] {
  const count = sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;
  if (count <= SENTENCE_WORDS_MAX) return [];
  const start = sentence.split(/\s+/).slice(0, 6).join(" ");
  return [`${path}:${line} "${start} ..." has ${count} words: make two sentences of it`];
}
