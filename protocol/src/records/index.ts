export { isRecordKind, type MemoryRecord, readRecord, recordEntry } from "./record.js";
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
