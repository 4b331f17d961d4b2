import { parse } from "yaml";
import { instantOf, metadataOf, tagsIn } from "./foreign-values.js";
import type { ImportItem, ReadContext } from "./import-item.js";
import { readExportedFile } from "./read-markdown-export.js";

interface Section {
  readonly line: number;
  /** Headings from the outermost to its own. Empty for the text before the first heading. */
  readonly headings: readonly string[];
  readonly body: string[];
}

const HEADING = /^(#{1,6})[ \t]+(\S.*)$/;
const FENCE = /^ {0,3}(```|~~~)/;
const TIME_FIELDS = ["created", "created_at", "date", "updated", "updated_at", "modified"];
const RESERVED = ["kind", "parts", "file", "heading", "tags"];

/** Reads a Markdown file. Each heading with text below it is an entry. */
export function* readMarkdown(text: string, { name, modified }: ReadContext): Generator<ImportItem> {
  const lines = text.split(/\r?\n/);
  const { front, bodyAt, problem } = frontMatter(lines);
  if (problem !== undefined) yield { line: 1, bytes: 0, problem };
  if (front.membus !== undefined) {
    yield readExportedFile(text, front, bodyAt);
    return;
  }
  const shared = {
    occurred_at:
      TIME_FIELDS.map((field) => instantOf(front[field])).find((at) => at !== undefined) ?? modified,
    tags: tagsIn(front.tags),
  };
  const counts = new Map<string, number>();
  for (const { line, headings, body } of sectionsOf(lines, bodyAt)) {
    const content = body.join("\n").trim();
    if (content === "") continue;
    const heading = headings.join(" > ");
    const repeated = (counts.get(heading) ?? 0) + 1;
    counts.set(heading, repeated);
    const key = { file: name, heading, ...(repeated > 1 && { repeated }) };
    const metadata = { ...metadataOf(front, RESERVED, "front"), file: name, heading };
    const whole = heading === "" ? content : `${heading}\n\n${content}`;
    const entry = { key, content: { text: content }, text: whole, metadata, group: name, ...shared };
    yield { line, bytes: Buffer.byteLength(content), entry };
  }
}

/** Returns the YAML between `---` at the beginning, and the index of the first line after it. */
function frontMatter(lines: readonly string[]) {
  const end =
    lines[0] === "---" ? lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(line)) : -1;
  if (end === -1) return { front: {} as Record<string, unknown>, bodyAt: 0 };
  try {
    const front = parse(lines.slice(1, end).join("\n")) ?? {};
    if (typeof front !== "object" || Array.isArray(front)) throw new TypeError("must have fields");
    return { front: front as Record<string, unknown>, bodyAt: end + 1 };
  } catch (error) {
    const problem = `front matter ignored: ${(error as Error).message}`;
    return { front: {} as Record<string, unknown>, bodyAt: end + 1, problem };
  }
}

function sectionsOf(lines: readonly string[], from: number): Section[] {
  const sections: Section[] = [{ line: from + 1, headings: [], body: [] }];
  let path: { readonly level: number; readonly title: string }[] = [];
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    if (index < from) continue;
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    const heading = fence === undefined ? HEADING.exec(line) : null;
    if (heading === null) {
      sections.at(-1)!.body.push(line);
      continue;
    }
    const level = heading[1]!.length;
    path = [...path.filter((outer) => outer.level < level), { level, title: heading[2]!.trim() }];
    sections.push({ line: index + 1, headings: path.map(({ title }) => title), body: [] });
  }
  return sections;
}
