/**
 * Why a file was not changed. "conflict": it has another revision than the one named, or others were faster too often;
 * `revision` is the current one. "no_match" and "ambiguous": the text to replace is not there, or more than once.
 * "too_large": more than an entry holds.
 */
export type FileErrorCode = "not_found" | "exists" | "conflict" | "no_match" | "ambiguous" | "too_large";

export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: FileErrorCode;
  readonly path: string;
  /** Of a "conflict": the current revision of the file, where it is known; 0: it is not there. */
  readonly revision: number | undefined;

  constructor(
    code: FileErrorCode,
    path: string,
    message: string,
    { revision, cause }: { readonly revision?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(`${path}: ${message}`, { cause });
    this.code = code;
    this.path = path;
    this.revision = revision;
  }
}
