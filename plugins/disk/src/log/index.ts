export { fileLog } from "./file-log.js";
export { type FileLogOptions, FileLogOptionsSchema } from "./file-log-options.js";
export { inspectLogFile, type LogFileReport, listLogFiles } from "./inspect-files.js";
export type { Durability, Log, LogKeeper, LogPart, LogRecovery, OpenLog, RotateOptions } from "./log.js";
export { lostRecords, SEQ_BEYOND } from "./missing-range.js";
export { type QueuedGroup, RecordQueue, type RecordQueueParts } from "./record-queue.js";
export { type LogReport, verifyLog } from "./verify-log.js";
