export type { FileEditOptions } from "./edit-file.js";
export { FileError, type FileErrorCode } from "./file-error.js";
export type { FileCall, FileSize } from "./file-store.js";
export { fileTools } from "./file-tools.js";
export { FILES_DEFAULTS, type FilesOptions } from "./files-options.js";
export type { FoundFile, FoundLine, GrepResult } from "./grep-files.js";
export type { FolderListing, ListedFile } from "./list-folder.js";
export {
  type EditedFile,
  type GlobResult,
  type MemoryFile,
  MemoryFiles,
  type ReplaceOptions,
} from "./memory-files.js";
export { GLOB_DEFAULTS, type GlobOptions, GREP_DEFAULTS, type GrepOptions } from "./search-options.js";
