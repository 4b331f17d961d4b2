import type { QueryMark } from "./language.js";

/** Limit of the steps of a text that are indexed. The first ones count. */
const STEPS_MAX = 64;
/** The limit of a segment keeps the search linear in the length of the text. */
const PATH = /(?:[\p{L}\p{N}_~.@-]{0,64}[/\\]){1,32}[\p{L}\p{N}_.@-]{1,64}/gu;
const EXTENSION = /\.\p{L}{1,5}$/u;
/** Low, because few entries name the same path. */
const STEP_PRIOR = 1e-6;

/**
 * Returns marks for the paths in a text, one for each step between two segments: `src/app` and `app/main` for
 * `src/app/main.ts`. So an entry with the path ranks above one with the same words, also for a part of the path.
 */
export function pathMarks(text: string): string[] {
  return stepsIn(text).map((step) => `/${step}`);
}

/** Returns marks for the paths that a query names. */
export function queryPaths(query: string): QueryMark[] {
  return stepsIn(query).map((step) => ({ mark: `/${step}`, word: step, prior: STEP_PRIOR }));
}

/** Returns the distinct steps of the paths in a text, in lower case and without the extension of the file. */
function stepsIn(text: string): string[] {
  if (!/[/\\]/.test(text)) return [];
  const steps = new Set<string>();
  for (const [path] of text.matchAll(PATH)) {
    const segments = path
      .toLowerCase()
      .replace(/(?<!\.)\.+$/, "")
      .replace(EXTENSION, "")
      .split(/[/\\]/);
    const named = segments.filter((segment) => /[\p{L}\p{N}]/u.test(segment));
    for (let at = 1; at < named.length; at++) steps.add(`${named[at - 1]}/${named[at]}`.toWellFormed());
    if (steps.size >= STEPS_MAX) break;
  }
  return [...steps].slice(0, STEPS_MAX);
}
