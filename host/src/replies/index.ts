export { Inboxes } from "./inboxes.js";
export { HEADER_BYTES_RESERVED, messageId, type Reply, tooLargeToAnswer } from "./reply.js";
export { type AuditRecord, type AuditSink, type Exchange, Responder } from "./responder.js";
