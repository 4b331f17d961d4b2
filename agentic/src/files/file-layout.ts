import {
  type Filter,
  isNamespace,
  LIMITS,
  type OptionsOf,
  option,
  optionSet,
  type ResolvedOptionsOf,
} from "@membus/protocol";
import { decodeSegment, encodeSegment } from "@membus/protocol/records";
import { folderNamesOf, namesOf, rejectPath } from "./file-path.js";

const MIB = 1024 * 1024;

export const FilesOptionsSchema = optionSet({
  /** Namespace of the files. */
  namespace: option.namespace().default("files"),
  /**
   * "folders": each folder is a namespace below `namespace`, at most 8 segments in all. "flat": all files are
   * in `namespace`, in any number of folders. Files of one layout are not visible in the other, except those
   * in no folder.
   */
  layout: option.choice("folders", "flat").default("folders"),
  /** "semantic" for files that all agents of the tenant share, "working" for files of a session. */
  tier: option.tier().default("episodic"),
  /** Attempts of an edit while other writers change the file. */
  attemptsMax: option.integer(1, 1_000).default(20),
  /** Maximum bytes of a file. Files larger than an entry (256 KiB) are stored in parts. */
  fileBytesMax: option.integer(1, 128 * MIB).default(16 * MIB),
  /** Bytes of text that one `grep` reads. The result says if files were left out. */
  grepBytesMax: option.integer(1, 1024 * MIB).default(64 * MIB),
  /**
   * Duration of one `grep` in milliseconds, rounded up to a line. The result says if files were left out.
   */
  grepTimeMsMax: option.integer(1, 600_000).default(5_000),
});

export interface FilesOptions extends OptionsOf<typeof FilesOptionsSchema> {}
export interface ResolvedFilesOptions extends ResolvedOptionsOf<typeof FilesOptionsSchema> {}

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
