const NAMES_PROBLEM = "has an empty name, `.` or `..`";

/** Returns the names of a path, which may start with `/`, in NFC. */
export function namesOf(path: unknown): string[] {
  if (typeof path !== "string") throw new TypeError(`path must be a string, got ${String(path)}`);
  const names = path.normalize("NFC").replace(/^\//, "").split("/");
  for (const name of names) {
    if (name === "" || name === "." || name === "..") rejectPath(path, NAMES_PROBLEM);
    if (/[\p{Cc}\p{Cs}]/u.test(name)) rejectPath(path, "has a control character or an unpaired surrogate");
  }
  return names;
}

/** Returns the names of the path of a folder, which may end with `/`. Empty for the root. */
export function folderNamesOf(path: unknown): string[] {
  if (path === "/" || path === "") return [];
  return namesOf(typeof path === "string" ? path.replace(/\/$/, "") : path);
}

/** Returns the path of a file or folder as users write it, with a leading `/`. */
export function shownPath(path: string): string {
  return `/${path}`;
}

export function rejectPath(path: unknown, problem: string): never {
  throw new TypeError(`path ${JSON.stringify(path)} ${problem}`);
}
