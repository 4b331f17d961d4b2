import { pauseAfterConflict } from "@membus/agent-client";
import { FileError } from "./file-error.js";
import { shownPath } from "./file-path.js";
import type { FileCall, FileStore, StoredFile } from "./file-store.js";

export interface FileEditOptions extends FileCall {
  /** Only over this revision: after any other change the edit is a "conflict", and is not tried again. */
  readonly ifRevision?: number | undefined;
}

/** What is replaced by what. */
export interface Replacement {
  readonly found: string;
  readonly by: string;
  readonly all: boolean;
}

/** Stores a file as it is given, over the revision that it has. @throws {FileError} "exists" or "conflict". */
export async function writeOver(store: FileStore, file: StoredFile, call: FileCall): Promise<StoredFile> {
  const written = await store.write(file, call);
  if (written !== undefined) return written;
  const current = await store.read(file.path, call);
  if (file.revision === 0) throw new FileError("exists", shownPath(file.path), "there is one already");
  throw conflict(file.path, current?.revision ?? 0, "it has changed");
}

/**
 * Reads a file, replaces a text in it and stores it, over the revision that was read and none else; again, where another was
 * faster. So it is never what another has written that is lost.
 */
export async function editFile(
  store: FileStore,
  path: string,
  replacement: Replacement,
  { ifRevision, ...call }: FileEditOptions,
): Promise<{ readonly file: StoredFile; readonly replacements: number }> {
  for (let attempt = 1; ; attempt++) {
    const file = await readExisting(store, path, call);
    if (ifRevision !== undefined && file.revision !== ifRevision) {
      throw conflict(path, file.revision, "it has changed");
    }
    if (attempt > store.options.attemptsMax) throw conflict(path, file.revision, "others were faster");
    const { text, replacements } = replaced(file, replacement);
    const written = await store.write({ ...file, text }, call);
    if (written !== undefined) return { file: written, replacements };
    await pauseAfterConflict(attempt, store.clock);
  }
}

/** @throws {FileError} "not_found". */
export async function readExisting(store: FileStore, path: string, call: FileCall): Promise<StoredFile> {
  const file = await store.read(path, call);
  if (file === undefined) throw new FileError("not_found", shownPath(path), "there is no such file");
  return file;
}

/**
 * Gives a file another path: first it is written there, then forgotten where it was, if it is still what was written. If it
 * has changed meanwhile, what was written is taken back and it is moved as it is then. Cut off, it is at both paths.
 */
export async function moveFile(
  store: FileStore,
  from: string,
  to: string,
  call: FileCall,
): Promise<StoredFile> {
  for (let attempt = 1; attempt <= store.options.attemptsMax; attempt++) {
    const file = await withHash(store, from, call);
    if (file !== undefined) {
      const moved = await writeOver(store, { ...file, path: to, revision: 0 }, call);
      if (await store.forget(from, call, file.text)) return moved;
      await store.forget(to, call, file.text);
    }
    await pauseAfterConflict(attempt, store.clock);
  }
  throw conflict(from, (await readExisting(store, from, call)).revision, "others were faster");
}

/** A file that a forget can find by what it says; undefined when another was faster. */
async function withHash(store: FileStore, path: string, call: FileCall): Promise<StoredFile | undefined> {
  const file = await readExisting(store, path, call);
  return file.entry?.metadata?.sha256 === undefined ? store.write(file, call) : file;
}

function replaced({ path, text }: StoredFile, { found, by, all }: Replacement) {
  const parts = text.split(found);
  const count = parts.length - 1;
  if (count === 0) throw new FileError("no_match", shownPath(path), "the text to replace is not in it");
  // Also where the second overlaps the first.
  if (!all && text.indexOf(found) !== text.lastIndexOf(found)) {
    const message = "the text to replace is in it more than once: say more of it, or replace all";
    throw new FileError("ambiguous", shownPath(path), message);
  }
  return { text: parts.join(by), replacements: count };
}

function conflict(path: string, revision: number, why: string): FileError {
  return new FileError("conflict", shownPath(path), `${why}; its revision is ${revision}`, { revision });
}
