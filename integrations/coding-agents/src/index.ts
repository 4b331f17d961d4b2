export {
  type DrainOptions,
  type DrainResult,
  degradedNotice,
  type NewWrite,
  Outbox,
  type OutboxItem,
  type OutboxOptions,
  type OutboxState,
} from "./outbox/index.js";
