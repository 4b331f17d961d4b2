import { posix } from "node:path";
import type { Finding } from "../syntax.js";

const LINK = /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s+(\S+)|\b(?:src|href)="([^"]+)"/gm;
const ELSEWHERE = /^([a-z]+:|\/\/)/;

/** Links of one document to files, folders or headings of the repository that are not there. */
export function checkMarkdownLinks(
  path: string,
  documents: ReadonlyMap<string, string>,
  files: readonly string[],
): Finding[] {
  const text = withoutCode(documents.get(path) ?? "");
  return [...text.matchAll(LINK)].flatMap((match) => {
    const link = match[1] ?? match[2] ?? match[3] ?? "";
    if (ELSEWHERE.test(link)) return [];
    const problem = problemOf(link, path, documents, files);
    const line = text.slice(0, match.index).split("\n").length;
    return problem === undefined ? [] : [`${path}:${line} ${link} ${problem}`];
  });
}

function problemOf(
  link: string,
  from: string,
  documents: ReadonlyMap<string, string>,
  files: readonly string[],
): string | undefined {
  const [target = "", anchor] = decodeURIComponent(link).split("#");
  const path = target === "" ? from : posix.join(posix.dirname(from), target).replace(/\/$/, "");
  const exists = path === "." || files.some((file) => file === path || file.startsWith(`${path}/`));
  if (!exists) return "does not exist";
  if (anchor === undefined || !documents.has(path)) return undefined;
  return anchorsOf(documents.get(path)!).has(anchor) ? undefined : "is no heading there";
}

/** Anchors as the usual renderers make them: lower case, punctuation dropped, spaces to hyphens, repeats numbered. */
function anchorsOf(markdown: string): Set<string> {
  const counts = new Map<string, number>();
  const explicit = [...markdown.matchAll(/\b(?:id|name)="([^"]+)"/g)].map(([, id]) => id!);
  const headings = [...withoutCode(markdown, false).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map(([, title]) => {
    const slug = title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set([...explicit, ...headings]);
}

/** Blanks fenced code, and inline code too unless told otherwise; lines keep their numbers. */
function withoutCode(markdown: string, inline = true): string {
  const blank = (code: string) => code.replace(/[^\n]/g, " ");
  const text = markdown.replace(/^ *(```|~~~)[\s\S]*?^ *\1/gm, blank);
  return inline ? text.replace(/`[^`\n]+`/g, blank) : text;
}
