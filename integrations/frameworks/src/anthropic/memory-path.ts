import { posix } from "node:path";
import { MemoryToolError } from "./memory-tool-error.js";

const ROOT = "/memories";
const PATH_LENGTH_MAX = 1_024;

/** A path of a command. `file` is the path for `MemoryFiles`, without the root; "" for the root itself. */
export interface MemoryPath {
  readonly shown: string;
  readonly file: string;
}

/** Parses a path. @throws {MemoryToolError} if it is not in the root, or no file can have it. */
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
    throw new MemoryToolError(
      `Path ${JSON.stringify(shown)} has a control character or an unpaired surrogate`,
    );
  }
  return { shown, file: path.slice(ROOT.length) };
}

/** Returns the path that the model sees for a path of `MemoryFiles`. */
export function shownPath(file: string): string {
  return `${ROOT}${file}`;
}

/** Returns the paths of the directories that a file is in, without the root. */
export function parentPaths(file: string): string[] {
  const names = file.split("/").slice(1);
  return names.slice(1).map((_, at) => `/${names.slice(0, at + 1).join("/")}`);
}
