/**
 * Reason why a file was not changed or read.
 * - "not_found", "exists": there is no such file, or there is one already.
 * - "conflict": the file has another revision than `ifRevision`, or other writers kept changing it.
 * - "no_match", "ambiguous": the text to replace is missing, or is in the file more than once.
 * - "too_large": the text has more than `fileBytesMax` bytes.
 * - "damaged": a part of the file is missing.
 */
export type FileErrorCode =
  | "not_found"
  | "exists"
  | "conflict"
  | "no_match"
  | "ambiguous"
  | "too_large"
  | "damaged";

export interface FileErrorDetail {
  readonly revision?: number | undefined;
  readonly bytes?: number | undefined;
}

export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: FileErrorCode;
  readonly path: string;
  /** Current revision of the file after a "conflict", if it is known. 0 if the file does not exist. */
  readonly revision: number | undefined;
  /** Bytes of the text that is "too_large". */
  readonly bytes: number | undefined;

  constructor(code: FileErrorCode, path: string, message: string, { revision, bytes }: FileErrorDetail = {}) {
    super(`${path}: ${message}`);
    this.code = code;
    this.path = path;
    this.revision = revision;
    this.bytes = bytes;
  }
}
