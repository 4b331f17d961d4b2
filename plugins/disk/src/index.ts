export {
  createDirectory,
  type DirectoryLock,
  directoryHolder,
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
  type LogRecovery,
  type OpenLog,
} from "./log/index.js";
export { SerialQueue } from "./serial-queue.js";
