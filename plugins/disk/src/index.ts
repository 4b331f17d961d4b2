export {
  createDirectory,
  type DirectoryLock,
  lockDirectory,
  readText,
  replaceFile,
} from "./directory/index.js";
export {
  type Durability,
  FILE_LOG_DEFAULTS,
  type FileLogOptions,
  fileLog,
  type Log,
  type LogKeeper,
  type LogPart,
  type LogRecovery,
  type OpenLog,
} from "./log/index.js";
export { SerialQueue } from "./serial-queue.js";
