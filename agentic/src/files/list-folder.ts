import type { ListItem } from "@membus/protocol";
import { folderOfNamespace } from "./file-layout.js";
import { shownPath } from "./file-path.js";
import { type FileCall, type FileStore, IS_FILE } from "./file-store.js";

/** A file or folder of a listing. */
export interface ListedFile {
  /** Starts with `/`. The path of a folder also ends with `/`. */
  readonly path: string;
  /** 1 for a file. For a folder the number of files in and below it. */
  readonly count: number;
  /** Approximate bytes of the entries as JSON. Does not include the parts of a file that is larger than an entry. */
  readonly bytes: number;
  /** Unix seconds of the last change of a file. */
  readonly changed: number;
}

export interface FolderListing {
  /** Sorted by path. */
  readonly folders: readonly ListedFile[];
  /** Sorted by path. */
  readonly files: readonly ListedFile[];
}

/** Returns the files and folders in a folder. @throws {TypeError} for an invalid path. */
export async function listFolder(store: FileStore, folder: string, call: FileCall): Promise<FolderListing> {
  const path = store.layout.folderPath(folder);
  return store.options.layout === "flat" ? listFlat(store, path, call) : listNamespace(store, path, call);
}

export function listed(
  path: string,
  { count, bytes, newest }: Pick<ListItem, "count" | "bytes" | "newest">,
): ListedFile {
  return { path: shownPath(path), count, bytes, changed: newest };
}

async function listNamespace(store: FileStore, folder: string, call: FileCall): Promise<FolderListing> {
  const namespace = store.layout.namespaceOf(folder);
  const folders: ListedFile[] = [];
  for await (const item of store.namespacesIn(namespace, call)) {
    folders.push(listed(folderOfNamespace(store.options.namespace, String(item.value)), item));
  }
  const files: ListedFile[] = [];
  for await (const item of store.pathsIn(namespace, call)) files.push(listed(String(item.value), item));
  return { folders: folders.sort(byPath), files };
}

async function listFlat(store: FileStore, folder: string, call: FileCall): Promise<FolderListing> {
  const folders = new Map<string, ListedFile>();
  const files: ListedFile[] = [];
  for await (const item of store.paths(folder, IS_FILE, call)) {
    const path = String(item.value);
    const slash = path.indexOf("/", folder.length);
    if (slash < 0) {
      files.push(listed(path, item));
      continue;
    }
    const name = path.slice(0, slash + 1);
    const known = folders.get(name) ?? { ...listed(name, item), count: 0, bytes: 0 };
    folders.set(name, {
      ...known,
      count: known.count + item.count,
      bytes: known.bytes + item.bytes,
      changed: Math.max(known.changed, item.newest),
    });
  }
  return { folders: [...folders.values()].sort(byPath), files };
}

function byPath(one: ListedFile, other: ListedFile): number {
  return one.path < other.path ? -1 : 1;
}
