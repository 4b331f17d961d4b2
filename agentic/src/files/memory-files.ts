import type { AgentMemory } from "@membus/agent-client";
import {
  type Clock,
  type Filter,
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  systemClock,
} from "@membus/protocol";
import {
  editFile,
  type FileEditOptions,
  moveFile,
  type Replacement,
  readExisting,
  updateFile,
  writeOver,
} from "./edit-file.js";
import { type FilesOptions, FilesOptionsSchema } from "./file-layout.js";
import { shownPath } from "./file-path.js";
import { type FileCall, type FileSize, FileStore, IS_FILE, type StoredFile } from "./file-store.js";
import { globMatcher, literalIn } from "./glob.js";
import { type GrepResult, grepFiles } from "./grep-files.js";
import { lineRegex } from "./line-regex.js";
import { type FolderListing, type ListedFile, listed, listFolder } from "./list-folder.js";

const GlobOptionsSchema = optionSet({
  /** Folder to search, with all folders below it. The glob is relative to it. */
  folder: option.text().default("/"),
  /** Maximum number of files, or of lines. */
  limit: option.integer(1, 100_000).default(1_000),
  signal: option.signal().optional(),
});

export interface GlobOptions extends OptionsOf<typeof GlobOptionsSchema> {}

const GrepOptionsSchema = optionSet({
  ...GlobOptionsSchema.shape,
  /** Glob of the files to search: of paths below the folder, or of names if it has no `/`. */
  glob: option.text().default("**"),
  ignoreCase: option.boolean().default(false),
});

export interface GrepOptions extends OptionsOf<typeof GrepOptionsSchema> {}

/** A file with its text. */
export interface MemoryFile {
  /** Starts with `/`. */
  readonly path: string;
  readonly text: string;
  /** Bytes of the text in UTF-8. */
  readonly bytes: number;
  /** Revision for `ifRevision`. */
  readonly revision: number;
}

export interface GlobResult {
  /** Sorted by path. */
  readonly files: readonly ListedFile[];
  /** False if more than `limit` files match. */
  readonly isComplete: boolean;
}

export interface EditedFile extends MemoryFile {
  /** Number of replaced occurrences. */
  readonly replacements: number;
}

export interface ReplaceOptions extends FileEditOptions {
  /** Replaces all occurrences, instead of requiring exactly one. @default false */
  readonly all?: boolean | undefined;
}

/**
 * Text files under paths such as `/notes/may.md`, stored as file records (chapter 7). Any number of processes, and in the
 * semantic tier all agents of the tenant, share them.
 *
 * A path consists of names separated by `/`, may start with `/` and is normalised to NFC. A folder exists while a file is in or
 * below it. A file and a folder may have the same name. In the layout "folders" a file name has 1..255 characters and a folder
 * name 1..64. Folders are nested at most 7 deep with the namespace "files". A listing or search of more than 256 folders then
 * fails with `too_large`. In the layout "flat" a path has at most 1,024 characters.
 *
 * Concurrent changes are never overwritten. Methods throw `FileError` if a file cannot be changed, and `TypeError` for an
 * invalid path or pattern. They throw `MemoryError` for errors of the bus or the host. After "timeout" the change may have been
 * made.
 */
export class MemoryFiles {
  readonly #store: FileStore;

  /** `memory` sets the tenant and the agent. The options set the namespace. */
  constructor(memory: AgentMemory, options: FilesOptions = {}, clock: Clock = systemClock) {
    this.#store = new FileStore(memory, parseOptions(FilesOptionsSchema, options), clock);
  }

  /** Returns the files and folders in a folder, without reading texts. Empty if there is no such folder. */
  ls(folder = "/", call: FileCall = {}): Promise<FolderListing> {
    return listFolder(this.#store, folder, call);
  }

  /** Returns all files in and below a folder with the bytes of their texts, in no order. Reads every entry. */
  async list(folder = "/", call: FileCall = {}): Promise<FileSize[]> {
    const files: FileSize[] = [];
    for await (const { path, bytes } of this.#store.sizes(this.#folder(folder), call)) {
      files.push({ path: shownPath(path), bytes });
    }
    return files;
  }

  /**
   * Returns the files with a path below the folder that matches a glob. A glob that starts with `/`
   * is matched against whole paths. Dots have no special meaning.
   */
  async glob(glob: string, options: GlobOptions = {}): Promise<GlobResult> {
    const { folder, limit, signal } = parseOptions(GlobOptionsSchema, options);
    const path = this.#folder(folder);
    const matches = pathMatcher(path, glob);
    const files: ListedFile[] = [];
    for await (const item of this.#store.paths(path, fileWhere(glob), { signal })) {
      if (!matches(String(item.value))) continue;
      if (files.length === limit) return { files, isComplete: false };
      files.push(listed(String(item.value), item));
    }
    return { files, isComplete: true };
  }

  /** Returns lines that match a regular expression in RE2 syntax (no back references, no look-around). */
  async grep(pattern: string, options: GrepOptions = {}): Promise<GrepResult> {
    const { folder, glob, ignoreCase, limit, signal } = parseOptions(GrepOptionsSchema, options);
    const path = this.#folder(folder);
    const isSearched = pathMatcher(path, glob.includes("/") ? glob : `**/${glob}`);
    const grep = {
      folder: path,
      regex: lineRegex(pattern, ignoreCase),
      limit,
      where: fileWhere(glob),
      isSearched,
    };
    return grepFiles(this.#store, grep, { signal });
  }

  /** Returns undefined if there is no such file. @throws {FileError} "damaged". */
  async read(path: string, call: FileCall = {}): Promise<MemoryFile | undefined> {
    const file = await this.#store.read(this.#path(path), call);
    return file && publicFile(file);
  }

  /** Returns whether there is a file of this path, or a folder. */
  async exists(path: string, call: FileCall = {}): Promise<boolean> {
    return (await this.#store.find(this.#store.at(this.#path(path), true), call)) !== undefined;
  }

  /** Returns the path of one of these files that exists. */
  async findFile(paths: readonly string[], call: FileCall = {}): Promise<string | undefined> {
    if (paths.length === 0) return undefined;
    const isOne = paths.map((path) => this.#store.at(this.#path(path), false));
    const found = await this.#store.find({ any: isOne }, call);
    return found === undefined ? undefined : shownPath(found);
  }

  /**
   * Creates a file. With `ifRevision` replaces the file that has this revision.
   * @throws {FileError} "exists", "conflict", "not_found", "too_large".
   */
  async write(path: string, text: string, options: FileEditOptions = {}): Promise<MemoryFile> {
    const { ifRevision = 0, ...call } = options;
    const checked = this.#path(path);
    checkText(text, "text");
    const before = ifRevision === 0 ? undefined : await readExisting(this.#store, checked, call);
    const file = { path: checked, text, revision: ifRevision, entry: before?.entry };
    return publicFile(await writeOver(this.#store, file, call));
  }

  /**
   * Replaces a text that is in the file exactly once, or with `all` every occurrence. If another writer changes the file
   * concurrently, the edit is repeated on the new text, at most `attemptsMax` times.
   * @throws {FileError} "not_found", "no_match", "ambiguous", "conflict", "too_large".
   */
  async edit(path: string, found: string, by: string, options: ReplaceOptions = {}): Promise<EditedFile> {
    const { all = false, ...edit } = options;
    checkText(found, "the text to replace");
    checkText(by, "the replacement");
    if (found === "") throw new TypeError("the text to replace must not be empty");
    if (found === by) throw new TypeError("the text to replace and the replacement are equal");
    const replacement: Replacement = { found, by, all };
    const { file, replacements } = await editFile(this.#store, this.#path(path), replacement, edit);
    return { ...publicFile(file), replacements };
  }

  /**
   * Replaces the text of a file by `change(text)`. If another writer changes the file concurrently, `change` is called with the
   * new text, at most `attemptsMax` times. An error that it throws ends the call.
   * @throws {FileError} "not_found", "conflict", "too_large".
   */
  async update(
    path: string,
    change: (text: string) => string,
    options: FileEditOptions = {},
  ): Promise<MemoryFile> {
    const checked = (text: string) => {
      const changed = change(text);
      checkText(changed, "the changed text");
      return changed;
    };
    return publicFile(await updateFile(this.#store, this.#path(path), checked, options));
  }

  /** Forgets a file, or a folder with all files below it if the path ends with `/`. Returns the number of deleted files. */
  async remove(path: string, call: FileCall = {}): Promise<number> {
    if (typeof path !== "string" || !path.endsWith("/")) {
      return (await this.#store.forget(this.#path(path), call)) ? 1 : 0;
    }
    const folder = this.#folder(path);
    if (folder === "") throw new TypeError("the root cannot be removed. Give a folder");
    return this.#store.forgetBelow(folder, call);
  }

  /**
   * Moves a file to another path. After a crash the file may be at both paths. Its text is never lost.
   * @throws {FileError} "not_found", "exists", "conflict" if other writers keep changing it.
   */
  async move(from: string, to: string, call: FileCall = {}): Promise<MemoryFile> {
    const [source, target] = [this.#path(from), this.#path(to)];
    if (source === target) throw new TypeError(`the file already has the path ${shownPath(source)}`);
    return publicFile(await moveFile(this.#store, source, target, call));
  }

  #path(path: string): string {
    return this.#store.layout.filePath(path);
  }

  #folder(path: string): string {
    return this.#store.layout.folderPath(path);
  }
}

/** Returns a matcher for paths as they are in keys. */
function pathMatcher(folder: string, glob: string): (path: string) => boolean {
  const isWhole = glob.startsWith("/");
  const matches = globMatcher(isWhole ? glob.slice(1) : glob);
  return (path) => path.startsWith(folder) && matches(isWhole ? path : path.slice(folder.length));
}

/** Returns a filter that excludes paths that cannot match the glob. */
function fileWhere(glob: string): Filter {
  const value = literalIn(glob);
  return value === "" ? IS_FILE : { all: [IS_FILE, { field: "key.file", op: "contains", value }] };
}

function publicFile({ path, text, revision }: StoredFile): MemoryFile {
  return { path: shownPath(path), text, bytes: Buffer.byteLength(text), revision };
}

function checkText(text: unknown, name: string): void {
  if (typeof text !== "string") throw new TypeError(`${name} must be a string`);
}
