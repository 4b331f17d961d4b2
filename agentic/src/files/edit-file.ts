import { type UpdateOptions, updateWithRetry } from "@membus/agent-client";
import { FileError } from "./file-error.js";
import { shownPath } from "./file-path.js";
import { type FileCall, type FileStore, hasHash, type StoredFile } from "./file-store.js";

export interface FileEditOptions extends FileCall {
  /** Revision that the change is made over. After any other change it fails with "conflict", without a retry. */
  readonly ifRevision?: number | undefined;
}

/** A text to replace, and its replacement. */
export interface Replacement {
  readonly found: string;
  readonly by: string;
  readonly all: boolean;
}

/** Stores a file over its revision. @throws {FileError} "exists" or "conflict". */
export async function writeOver(store: FileStore, file: StoredFile, call: FileCall): Promise<StoredFile> {
  const written = await store.write(file, call);
  if (written !== undefined) return written;
  if (file.revision === 0) throw new FileError("exists", shownPath(file.path), "the file already exists");
  const current = await store.read(file.path, call);
  throw conflict(file.path, current?.revision ?? 0, "the file has changed");
}

/**
 * Reads a file, changes its text and stores it over the revision that was read. Retries if another writer changed the file
 * concurrently, so no change of another writer is lost. `change` may run several times. An error that it throws ends the call.
 */
export async function updateFile(
  store: FileStore,
  path: string,
  change: (text: string) => string,
  { ifRevision, ...call }: FileEditOptions,
): Promise<StoredFile> {
  const read = async () => {
    const file = await readExisting(store, path, call);
    if (ifRevision !== undefined && file.revision !== ifRevision) {
      throw conflict(path, file.revision, "the file has changed");
    }
    return file;
  };
  return updateWithRetry(
    read,
    (file) => ({ ...file, text: change(file.text) }),
    (file) => store.write(file, call),
    retryOptions(store, path, read),
  );
}

/** Replaces a text in a file. @throws {FileError} "no_match" or "ambiguous", and as `updateFile`. */
export async function editFile(
  store: FileStore,
  path: string,
  replacement: Replacement,
  options: FileEditOptions,
): Promise<{ readonly file: StoredFile; readonly replacements: number }> {
  let replacements = 0;
  const change = (text: string) => {
    const parts = partsAround(path, text, replacement);
    replacements = parts.length - 1;
    return parts.join(replacement.by);
  };
  return { file: await updateFile(store, path, change, options), replacements };
}

/** @throws {FileError} "not_found". */
export async function readExisting(store: FileStore, path: string, call: FileCall): Promise<StoredFile> {
  const file = await store.read(path, call);
  if (file === undefined) throw new FileError("not_found", shownPath(path), "no such file");
  return file;
}

/**
 * Moves a file: writes it to the new path, then forgets it at the old path if its text is still the same. If the text changed
 * concurrently, the new file is deleted again and the move is retried. After a crash the file may be at both paths.
 */
export async function moveFile(
  store: FileStore,
  from: string,
  to: string,
  call: FileCall,
): Promise<StoredFile> {
  const read = () => readExisting(store, from, call);
  return updateWithRetry(
    read,
    (file) => file,
    async (file) => {
      // Without a hash, the file cannot be forgotten by its text.
      const hashed = hasHash(file) ? file : await store.write(file, call);
      if (hashed === undefined) return undefined;
      const moved = await writeOver(store, { ...hashed, path: to, revision: 0 }, call);
      if (await store.forget(from, call, hashed.text)) return moved;
      await store.forget(to, call, hashed.text);
      return undefined;
    },
    retryOptions(store, from, read),
  );
}

/** After the last attempt, fails with the current revision. */
function retryOptions(store: FileStore, path: string, read: () => Promise<StoredFile>): UpdateOptions {
  return {
    attemptsMax: store.options.attemptsMax,
    clock: store.clock,
    onExhausted: async () => {
      throw conflict(path, (await read()).revision, "other writers keep changing the file");
    },
  };
}

function partsAround(path: string, text: string, { found, all }: Replacement): string[] {
  const parts = text.split(found);
  if (parts.length === 1) {
    throw new FileError("no_match", shownPath(path), "the text to replace is not in the file");
  }
  // Overlapping occurrences are ambiguous too.
  if (!all && text.indexOf(found) !== text.lastIndexOf(found)) {
    const message = "the text to replace is in the file more than once. Give more of it, or replace all";
    throw new FileError("ambiguous", shownPath(path), message);
  }
  return parts;
}

function conflict(path: string, revision: number, reason: string): FileError {
  return new FileError("conflict", shownPath(path), `${reason}. Its revision is ${revision}`, { revision });
}
