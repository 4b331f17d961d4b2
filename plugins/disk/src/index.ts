export {
  createDirectory,
  type DirectoryLock,
  DiskReserve,
  directoryHolder,
  isDiskFull,
  lockDirectory,
  readText,
  replaceFile,
  withRoom,
} from "./directory/index.js";
export {
  type Durability,
  FILE_LOG_DEFAULTS,
  type FileLogOptions,
  fileLog,
  inspectLogFile,
  type Log,
  type LogFileReport,
  type LogKeeper,
  type LogPart,
  type LogRecovery,
  listLogFiles,
  type OpenLog,
} from "./log/index.js";
export { SerialQueue } from "./serial-queue.js";
