export { Backlog } from "./backlog.js";
export { checkParts, damageError } from "./check-parts.js";
export { announceErasure, eraseOwner } from "./erase-owner.js";
export { type ErasureState, ErasureTracker } from "./erasure-tracker.js";
export { Flusher } from "./flusher.js";
export { createLogJournal, createMemoryJournal, type Journal, type Mutation } from "./journal.js";
export { moveReplies } from "./move-replies.js";
export {
  idConflict,
  type OperationId,
  OperationMemory,
  operationKey,
  type RememberedOperation,
} from "./operation-memory.js";
export { type LogRecord, latestTime, newestForgotten, type OperationResult, rowIdOf } from "./record.js";
export { type RecordEntries, type RecordedEntry, recordEntries } from "./record-entries.js";
export { type Recovered, recover } from "./recover.js";
export { RevisionMark } from "./revision-mark.js";
export { decodeRows, encodeRows, type RowFile } from "./row-file.js";
export { snapshot } from "./snapshot.js";
export { storedUsage } from "./stored-usage.js";
export { type FolderLocation, type FolderReport, verifyFolder } from "./verify-folder.js";
export { verifyOpen } from "./verify-open.js";
