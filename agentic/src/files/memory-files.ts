import type { AgentMemory } from "@membus/agent-client";
import { type Clock, type Filter, type ListItem, systemClock } from "@membus/protocol";
import {
  editFile,
  type FileEditOptions,
  moveFile,
  type Replacement,
  readExisting,
  writeOver,
} from "./edit-file.js";
import { filePath, folderOfNamespace, folderPath, shownPath } from "./file-path.js";
import { type FileCall, FileStore, IS_FILE, type StoredFile } from "./file-store.js";
import { type FilesOptions, resolveFilesOptions } from "./files-options.js";
import { globMatcher, literalIn } from "./glob.js";
import { type GrepResult, grepFiles } from "./grep-files.js";
import { lineRegex } from "./line-regex.js";
import {
  type GlobOptions,
  type GrepOptions,
  resolveGlobOptions,
  resolveGrepOptions,
} from "./search-options.js";

/** A text under a path. */
export interface MemoryFile {
  /** Begins with `/`. */
  readonly path: string;
  readonly text: string;
  /** Of the text in UTF-8. */
  readonly bytes: number;
  /** What `ifRevision` names. */
  readonly revision: number;
}

/** A file or folder, as it is listed. */
export interface ListedFile {
  /** Begins with `/`; that of a folder ends with `/` too. */
  readonly path: string;
  /** Files: 1 for a file, and of a folder all that are in and below it. */
  readonly count: number;
  /** What they take as JSON, roughly. */
  readonly bytes: number;
  /** When one of them was last written, Unix seconds. */
  readonly changed: number;
}

export interface FolderListing {
  /** By path. */
  readonly folders: readonly ListedFile[];
  /** By path. */
  readonly files: readonly ListedFile[];
}

export interface GlobResult {
  /** By path. */
  readonly files: readonly ListedFile[];
  /** False where there are more than `limit`. */
  readonly isComplete: boolean;
}

export interface EditedFile extends MemoryFile {
  /** How often the text was replaced. */
  readonly replacements: number;
}

export interface ReplaceOptions extends FileEditOptions {
  /** Every one, instead of the only one. @default false */
  readonly all?: boolean | undefined;
}

/**
 * Texts under paths, such as `/notes/may.md`: entries as files, namespaces as folders. Any number of processes, and in the
 * semantic tier of agents, see and change the same ones.
 *
 * A path has names with `/` between them, is normalised to NFC, and may begin with `/`. The name of a file has 1..255
 * characters, that of a folder 1..64, and there are at most 7 folders in each other with the namespace "files". A folder is
 * there while a file is in or below it; a file and a folder may have the same name. A listing or search of more than 256
 * folders is `too_large`, as the host says.
 *
 * Nothing is written over what somebody else has written meanwhile. Every method throws `FileError` for what keeps a file from
 * being changed, `MemoryError` for what the bus or the host reports (after "timeout" a change may have been made), and
 * `TypeError`, before anything is sent, for a path or a pattern that cannot be.
 */
export class MemoryFiles {
  readonly #store: FileStore;

  /** `memory` says whose files they are; their namespace is the option's. */
  constructor(memory: AgentMemory, options: FilesOptions = {}, clock: Clock = systemClock) {
    this.#store = new FileStore(memory, resolveFilesOptions(options), clock);
  }

  /** What is in a folder itself, without reading it; nothing where there is no such folder. */
  async ls(folder = "/", call: FileCall = {}): Promise<FolderListing> {
    const { namespace } = this.#store.options;
    const path = folderPath(namespace, folder);
    const folders: ListedFile[] = [];
    for await (const item of this.#store.folders(path, call)) {
      folders.push(listed(folderOfNamespace(namespace, String(item.value)), item));
    }
    const files: ListedFile[] = [];
    for await (const item of this.#store.paths(path, false, IS_FILE, call)) {
      files.push(listed(String(item.value), item));
    }
    return { folders: folders.sort(byPath), files };
  }

  /**
   * Files whose path below the folder matches a glob; with a `/` in front it is of whole paths. Dots are characters like
   * others.
   */
  async glob(glob: string, options: GlobOptions = {}): Promise<GlobResult> {
    const { folder, limit, signal } = resolveGlobOptions(options);
    const path = folderPath(this.#store.options.namespace, folder);
    const matches = pathMatcher(path, glob);
    const files: ListedFile[] = [];
    for await (const item of this.#store.paths(path, true, fileWhere(glob), { signal })) {
      if (!matches(String(item.value))) continue;
      if (files.length === limit) return { files, isComplete: false };
      files.push(listed(String(item.value), item));
    }
    return { files, isComplete: true };
  }

  /** Lines that match a regular expression in the syntax of RE2, which has no back references and no look-around. */
  async grep(pattern: string, options: GrepOptions = {}): Promise<GrepResult> {
    const { folder, glob, ignoreCase, limit, signal } = resolveGrepOptions(options);
    const path = folderPath(this.#store.options.namespace, folder);
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

  /** @returns undefined where there is none. */
  async read(path: string, call: FileCall = {}): Promise<MemoryFile | undefined> {
    const file = await this.#store.read(this.#path(path), call);
    return file && publicFile(file);
  }

  /**
   * Creates a file; with `ifRevision` it takes the place of that revision instead.
   * @throws {FileError} "exists", "conflict", "too_large" for more than an entry holds, about 256 KiB.
   */
  async write(path: string, text: string, options: FileEditOptions = {}): Promise<MemoryFile> {
    const { ifRevision = 0, ...call } = options;
    const checked = this.#path(path);
    checkText(text, "the text");
    const before = ifRevision === 0 ? undefined : await readExisting(this.#store, checked, call);
    const file = { path: checked, text, revision: ifRevision, entry: before?.entry };
    return publicFile(await writeOver(this.#store, file, call));
  }

  /**
   * Replaces a text that must be there exactly once, or with `all` every one. Where another changes the file meanwhile, it is
   * done to what is there then, at most `attemptsMax` times.
   * @throws {FileError} "not_found", "no_match", "ambiguous", "conflict", "too_large".
   */
  async edit(path: string, found: string, by: string, options: ReplaceOptions = {}): Promise<EditedFile> {
    const { all = false, ...edit } = options;
    checkText(found, "the text to replace");
    checkText(by, "the text in its place");
    if (found === "") throw new TypeError("the text to replace is empty");
    if (found === by) throw new TypeError("the text to replace and the one in its place are the same");
    const replacement: Replacement = { found, by, all };
    const { file, replacements } = await editFile(this.#store, this.#path(path), replacement, edit);
    return { ...publicFile(file), replacements };
  }

  /**
   * Forgets a file, or all that is in and below a folder, whose path ends with `/`.
   * @returns how many files there were.
   */
  async remove(path: string, call: FileCall = {}): Promise<number> {
    if (typeof path !== "string" || !path.endsWith("/")) {
      return (await this.#store.forget(this.#path(path), call)) ? 1 : 0;
    }
    const folder = folderPath(this.#store.options.namespace, path);
    if (folder === "") throw new TypeError("all files cannot be removed at once: name a folder");
    return this.#store.forgetBelow(folder, call);
  }

  /**
   * Gives a file another path. A process that is killed at it may leave the file at both; nothing is lost.
   * @throws {FileError} "not_found", "exists", "conflict" where others change it all the time.
   */
  async move(from: string, to: string, call: FileCall = {}): Promise<MemoryFile> {
    const [source, target] = [this.#path(from), this.#path(to)];
    if (source === target) throw new TypeError(`${shownPath(source)} has that path`);
    return publicFile(await moveFile(this.#store, source, target, call));
  }

  #path(path: string): string {
    return filePath(this.#store.options.namespace, path);
  }
}

/** Of paths as they are in keys. */
function pathMatcher(folder: string, glob: string): (path: string) => boolean {
  const isWhole = glob.startsWith("/");
  const matches = globMatcher(isWhole ? glob.slice(1) : glob);
  return (path) => path.startsWith(folder) && matches(isWhole ? path : path.slice(folder.length));
}

/** What the host need not tell, as no such path matches the glob. */
function fileWhere(glob: string): Filter {
  const value = literalIn(glob);
  return value === "" ? IS_FILE : { all: [IS_FILE, { field: "key.file", op: "contains", value }] };
}

function listed(path: string, { count, bytes, newest }: ListItem): ListedFile {
  return { path: shownPath(path), count, bytes, changed: newest };
}

function byPath(a: ListedFile, b: ListedFile): number {
  return a.path < b.path ? -1 : 1;
}

function publicFile({ path, text, revision }: StoredFile): MemoryFile {
  return { path: shownPath(path), text, bytes: Buffer.byteLength(text), revision };
}

function checkText(text: unknown, name: string): void {
  if (typeof text !== "string") throw new TypeError(`${name} is no text`);
}
