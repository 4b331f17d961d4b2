export { canonicalText, factId, isCurrent } from "./fact.js";
export { decodeSegment, encodeSegment, subjectFromNamespace } from "./namespace-segment.js";
export {
  isRecordKind,
  type MemoryRecord,
  RECORD_SCHEMAS,
  readRecord,
  recordEntry,
  recordProblem,
} from "./record.js";
export {
  MessageContentSchema,
  RECORD_KINDS,
  type RecordContent,
  type RecordKey,
  type RecordKind,
  type RecordMetadata,
  type Role,
  RoleSchema,
  ToolCallSchema,
  type Trust,
  TrustSchema,
} from "./record-kinds.js";
export { joinRecord, partKeys, splitRecord } from "./split-record.js";
export { HeadSchema, isHead, PartSchema } from "./split-schemas.js";
