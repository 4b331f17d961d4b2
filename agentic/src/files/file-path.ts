import { isNamespace, LIMITS, nameOfSegment, segmentOf } from "@membus/protocol";

const NAME_LENGTH_MAX = 255;

/** The names of a path that may begin with a `/`. */
function namesOf(path: unknown): string[] {
  if (typeof path !== "string") throw new TypeError(`a path is a text, got ${String(path)}`);
  const names = path.normalize("NFC").replace(/^\//, "").split("/");
  for (const name of names) {
    if (name === "" || name === "." || name === "..") refuse(path, "has a name that is empty, `.` or `..`");
    if (/[\p{Cc}\p{Cs}]/u.test(name)) refuse(path, "has a control character or half of one in it");
  }
  return names;
}

/**
 * A path as it is in the key of a file: in NFC, and without the first `/`.
 * @throws {TypeError} for one that no file can have in the folder `root`.
 */
export function filePath(root: string, path: unknown): string {
  const names = namesOf(path);
  if (names.at(-1)!.length > NAME_LENGTH_MAX)
    refuse(path, `has a name of more than ${NAME_LENGTH_MAX} characters`);
  folderNamespace(root, names.slice(0, -1), path);
  return names.join("/");
}

/**
 * The path of a folder as those of the files in it begin: "" for the root, else without the first `/` and with the last one,
 * which may be left out here.
 * @throws {TypeError} for one that no folder can have.
 */
export function folderPath(root: string, path: unknown): string {
  if (path === "/" || path === "") return "";
  const names = namesOf(typeof path === "string" ? path.replace(/\/$/, "") : path);
  folderNamespace(root, names, path);
  return `${names.join("/")}/`;
}

/** Where the files are that are in a folder itself. `path` is of the folder or of a file in it. */
export function namespaceOf(root: string, path: string): string {
  return [root, ...path.split("/").slice(0, -1).map(segmentOf)].join("/");
}

/** The path of the folder that a namespace is. */
export function folderOfNamespace(root: string, namespace: string): string {
  const segments = namespace.slice(root.length + 1).split("/");
  return `${segments.map(nameOfSegment).join("/")}/`;
}

/** A path as one reads it. */
export function shownPath(path: string): string {
  return `/${path}`;
}

function folderNamespace(root: string, names: readonly string[], path: unknown): void {
  if (isNamespace([root, ...names.map(segmentOf)].join("/"))) return;
  const depth = LIMITS.namespaceSegments - root.split("/").length;
  const length = LIMITS.namespaceSegmentLength;
  refuse(path, `may be in ${depth} folders, of ${length} characters each, where * and % count as three`);
}

function refuse(path: unknown, why: string): never {
  throw new TypeError(`the path ${JSON.stringify(path)} ${why}`);
}
