import { type Filter, isNamespace, LIMITS } from "@membus/protocol";
import { decodeSegment, encodeSegment } from "@membus/protocol/records";
import { folderNamesOf, namesOf, rejectPath } from "./file-path.js";
import type { ResolvedFilesOptions } from "./files-options.js";

const NAME_LENGTH_MAX = 255;
/** Characters of a path in the layout "flat". */
const FLAT_PATH_LENGTH_MAX = 1_024;

/** The namespaces that files are kept in. Paths of files have no leading `/`. Paths of folders end with `/`, the root is "". */
export interface FileLayout {
  /** Returns the path of a file as it is in its key. @throws {TypeError} for an invalid path. */
  filePath(path: unknown): string;
  /** Returns the path of a folder. @throws {TypeError} for an invalid path. */
  folderPath(path: unknown): string;
  /** Returns the namespace of a file. */
  namespaceOf(path: string): string;
  /** Selects the files in and below a folder. */
  below(folder: string): { readonly namespace: string; readonly where: readonly Filter[] };
}

export function fileLayout({ layout, namespace }: ResolvedFilesOptions): FileLayout {
  return layout === "flat" ? flatLayout(namespace) : folderLayout(namespace);
}

/** All files in one namespace. */
function flatLayout(root: string): FileLayout {
  const joined = (names: readonly string[], path: unknown) => {
    const text = names.join("/");
    if (text.length > FLAT_PATH_LENGTH_MAX) {
      rejectPath(path, `has ${text.length} characters, limit ${FLAT_PATH_LENGTH_MAX}`);
    }
    return text;
  };
  return {
    filePath: (path) => joined(namesOf(path), path),
    folderPath(path) {
      const names = folderNamesOf(path);
      return names.length === 0 ? "" : `${joined(names, path)}/`;
    },
    namespaceOf: () => root,
    below: (folder) => ({
      namespace: root,
      where: folder === "" ? [] : [{ field: "key.file", op: "starts_with", value: folder }],
    }),
  };
}

/** A namespace for each folder. */
function folderLayout(root: string): FileLayout {
  const checkFolder = (names: readonly string[], path: unknown) => {
    if (isNamespace([root, ...names.map(encodeSegment)].join("/"))) return;
    const depth = LIMITS.namespaceSegments - root.split("/").length;
    const length = LIMITS.namespaceSegmentLength;
    rejectPath(
      path,
      `has more than ${depth} folders, or a folder longer than ${length} characters ('*' and '%' count as 3)`,
    );
  };
  const namespaceOf = (path: string) => [root, ...path.split("/").slice(0, -1).map(encodeSegment)].join("/");
  return {
    filePath(path) {
      const names = namesOf(path);
      if (names.at(-1)!.length > NAME_LENGTH_MAX) {
        rejectPath(path, `has a file name longer than ${NAME_LENGTH_MAX} characters`);
      }
      checkFolder(names.slice(0, -1), path);
      return names.join("/");
    },
    folderPath(path) {
      const names = folderNamesOf(path);
      checkFolder(names, path);
      return names.length === 0 ? "" : `${names.join("/")}/`;
    },
    namespaceOf,
    below: (folder) => ({ namespace: `${namespaceOf(folder)}/**`, where: [] }),
  };
}

/** Returns the path of the folder that has this namespace in the layout "folders". */
export function folderOfNamespace(root: string, namespace: string): string {
  const segments = namespace.slice(root.length + 1).split("/");
  return `${segments.map(decodeSegment).join("/")}/`;
}
