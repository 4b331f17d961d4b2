export { type AgentItem, MembusSession } from "./session.js";
export { SessionHistoryError } from "./session-history-error.js";
export type { SessionOptions } from "./session-options.js";
export type { HistoryMutation, HistoryTransaction, HistoryTransactionArgs } from "./transaction.js";
