export { Backlog } from "./backlog.js";
export { type DirectoryLock, lockDirectory } from "./directory/directory-lock.js";
export { replaceFile } from "./directory/durable-files.js";
export { type OwnDirectory, ownDirectory } from "./directory/own-directory.js";
export { readFlushMarker } from "./flush-marker.js";
export { Flusher } from "./flusher.js";
export { createLogJournal, createMemoryJournal, type Journal } from "./journal.js";
export { fileLog } from "./log/file-log.js";
export { FILE_LOG_DEFAULTS, type FileLogOptions } from "./log/file-log-options.js";
export type { Durability, Log, OpenLog } from "./log/log.js";
export {
  idConflict,
  type OperationId,
  OperationMemory,
  operationKey,
  type RememberedOperation,
} from "./operation-memory.js";
export { SerialQueue } from "./queues.js";
export { type LogRecord, latestTime, type OperationResult, rowIdOf } from "./record.js";
export { recover } from "./recover.js";
