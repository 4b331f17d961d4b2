export { type HistoryOptions, MembusChatMessageHistory } from "./chat-message-history.js";
