import { posix } from "node:path";
import { MemoryToolError } from "./memory-tool-error.js";

const ROOT = "/memories";
const PATH_LENGTH_MAX = 1_024;

/** A path as the model has written it, and as it is in the key of a file: without the root, "" for that itself. */
export interface MemoryPath {
  readonly shown: string;
  readonly key: string;
}

/** @throws {MemoryToolError} for one that does not lie in the root, or that no file can have. */
export function memoryPath(shown: string): MemoryPath {
  if (shown !== ROOT && !shown.startsWith(`${ROOT}/`)) {
    throw new MemoryToolError(`Path must start with /memories, got: ${shown}`);
  }
  const path = posix.resolve(shown.normalize("NFC"));
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) {
    throw new MemoryToolError(`Path ${shown} would escape /memories directory`);
  }
  if (path.length > PATH_LENGTH_MAX) {
    throw new MemoryToolError(`The path has ${path.length} characters. Maximum is ${PATH_LENGTH_MAX}.`);
  }
  if (/[\p{Cc}\p{Cs}]/u.test(path)) {
    throw new MemoryToolError(`Path ${JSON.stringify(shown)} has a control character or half of one in it`);
  }
  return { shown, key: path.slice(ROOT.length + 1) };
}

/** The keys of the directories that a file lies in, the root left out. */
export function parentKeys(key: string): string[] {
  const names = key.split("/");
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join("/"));
}

/** What the keys of all files in and below a directory begin with. */
export function prefixOf(key: string): string {
  return key === "" ? "" : `${key}/`;
}
