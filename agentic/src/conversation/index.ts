export {
  ADD_DEFAULTS,
  type AddOptions,
  type AddResult,
  type ChangeResult,
  CLEAR_DEFAULTS,
  type ClearOptions,
  Conversation,
  GET_DEFAULTS,
  type GetOptions,
  LOAD_DEFAULTS,
  type LoadOptions,
  type MarkChange,
  type MessagePatch,
  openConversation,
  type Removal,
  type ResetListener,
  type SummaryInput,
} from "./conversation.js";
export {
  CONVERSATION_DEFAULTS,
  CONVERSATIONS_NAMESPACE,
  type ConversationOptions,
} from "./conversation-options.js";
export type { ConversationRecords } from "./conversation-records.js";
export type { ConversationState } from "./conversation-state.js";
export { type ConversationMessage, DESCRIPTION_ID, inOrder, type NewMessage, textOf } from "./message.js";
export type { MessageSelection } from "./select-messages.js";
export { type Summary, type SummaryImage, summaryEntry, summaryText } from "./summary.js";
