import type { QueryMark } from "./language.js";

/** Limit of the paths of a text that are indexed as a whole. The first ones count. */
const PATHS_MAX = 64;
/** The limit of a segment keeps the search linear in the length of the text. */
const PATH = /(?:[\p{L}\p{N}_~.@-]{0,64}[/\\]){1,32}[\p{L}\p{N}_.@-]{1,64}/gu;
/** Low, because few entries name the same path. */
const PATH_PRIOR = 1e-6;

/** Returns marks for the paths in a text, so that an entry with the whole path ranks above one with its parts. */
export function pathMarks(text: string): string[] {
  return pathsIn(text).map((path) => `/${path}`);
}

/** Returns the paths that a query names. */
export function queryPaths(query: string): QueryMark[] {
  return pathsIn(query).map((path) => ({ mark: `/${path}`, word: path, prior: PATH_PRIOR }));
}

/** Returns the distinct paths and addresses of a text, in lower case and with forward slashes. */
function pathsIn(text: string): string[] {
  if (!/[/\\]/.test(text)) return [];
  const paths = new Set<string>();
  for (const [found] of text.matchAll(PATH)) {
    const path = found
      .toLowerCase()
      .replaceAll("\\", "/")
      .replace(/^[./]+|\.+$/g, "");
    if (path.includes("/")) paths.add(path.toWellFormed());
    if (paths.size === PATHS_MAX) break;
  }
  return [...paths];
}
