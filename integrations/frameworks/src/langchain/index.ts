export { MembusChatMessageHistory } from "./chat-message-history.js";
export { HISTORY_DEFAULTS, type HistoryOptions } from "./history-options.js";
