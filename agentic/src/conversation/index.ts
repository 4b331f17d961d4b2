export {
  type AddResult,
  type ChangeResult,
  Conversation,
  type MarkChange,
  type MessagePatch,
  openConversation,
  type Removal,
  type ResetListener,
  type SummaryInput,
} from "./conversation.js";
export {
  type AddOptions,
  type ClearOptions,
  CONVERSATIONS_NAMESPACE,
  type ConversationOptions,
  type GetOptions,
  type LoadOptions,
  type MessageSelection,
} from "./conversation-options.js";
export type { ConversationRecords } from "./conversation-records.js";
export type { ConversationState } from "./conversation-state.js";
export {
  type ConversationMessage,
  DESCRIPTION_ID,
  inOrder,
  messageFields,
  type NewMessage,
  textOf,
} from "./message.js";
export { type Summary, type SummaryImage, summaryEntry, summaryText } from "./summary.js";
