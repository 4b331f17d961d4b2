export {
  Audit,
  type AuditRecord,
  type AuditSink,
  auditHash,
  type DropRecord,
  type RemovalRecord,
} from "./audit.js";
export { Inboxes } from "./inboxes.js";
export { HEADER_BYTES_RESERVED, messageId, type Reply, replyTooLarge } from "./reply.js";
export { type Exchange, Responder } from "./responder.js";
