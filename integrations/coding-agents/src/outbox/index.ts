export { degradedNotice } from "./degraded-notice.js";
export { type DrainResult, Outbox, type OutboxItem, type OutboxState } from "./outbox.js";
export { type DrainOptions, type OutboxOptions, OutboxOptionsSchema } from "./outbox-options.js";
export type { NewWrite, Refusal, StoredWrite } from "./queued-write.js";
