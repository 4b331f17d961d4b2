export type { FileEditOptions } from "./edit-file.js";
export { FileError, type FileErrorCode } from "./file-error.js";
export type { FilesOptions } from "./file-layout.js";
export type { FileCall, FileSize } from "./file-store.js";
export { fileTools } from "./file-tools.js";
export type { FoundFile, FoundLine, GrepResult } from "./grep-files.js";
export type { FolderListing, ListedFile } from "./list-folder.js";
export {
  type EditedFile,
  type GlobOptions,
  type GlobResult,
  type GrepOptions,
  type MemoryFile,
  MemoryFiles,
  type ReplaceOptions,
} from "./memory-files.js";
