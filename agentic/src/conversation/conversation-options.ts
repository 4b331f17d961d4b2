import { LIMITS, type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { RoleSchema } from "@membus/protocol/records";
import { IdSchema } from "../option-schemas.js";

/** Namespace of all conversations. */
export const CONVERSATIONS_NAMESPACE = "conversations";

export const MarkSchema = option.shortText(LIMITS.stringLength);

export const ConversationOptionsSchema = optionSet({
  /** Id of the conversation: 1..128 characters, the `group` of its records. */
  id: IdSchema,
  /**
   * Tier of the conversation. "working": it ends with the session. "semantic": all agents of the tenant share
   * it.
   */
  tier: option.tier().default("episodic"),
  /** System prompt, stored as the first message. It replaces an earlier description. "": no change. */
  description: option.value<string>((text) => typeof text === "string", "must be a string").default(""),
  /**
   * Whether summaries and offloaded texts list the messages that they are derived from. A forget of these
   * messages with `cascade` then deletes them too. False for a host without support for sources, which would
   * reject them.
   */
  sources: option.boolean().default(true),
});

export interface ConversationOptions extends OptionsOf<typeof ConversationOptionsSchema> {}
export interface ResolvedConversationOptions extends ResolvedOptionsOf<typeof ConversationOptionsSchema> {}

export const MessageSelectionSchema = optionSet({
  /** Number of newest matching messages. Absent: all. 0: none. */
  last: option.integer(0, Number.MAX_SAFE_INTEGER).optional(),
  role: option.choice(...RoleSchema.options).optional(),
  /** Select only messages with this mark. */
  mark: MarkSchema.optional(),
  /** Select only messages without this mark. */
  excludeMark: MarkSchema.optional(),
  ids: option.list(IdSchema).optional(),
});

/** Selects messages. All given conditions must match. */
export interface MessageSelection extends OptionsOf<typeof MessageSelectionSchema> {}

export const AddOptionsSchema = optionSet({
  /** Whether a message with a taken id is added under a new id. False: adding it again changes nothing. */
  allowDuplicates: option.boolean().default(false),
});

export interface AddOptions extends OptionsOf<typeof AddOptionsSchema> {}

export const GetOptionsSchema = optionSet({
  ...MessageSelectionSchema.shape,
  /** Whether the summary, if any, comes first as a user message. It does not count towards `last`. */
  prependSummary: option.boolean().default(false),
});

export interface GetOptions extends OptionsOf<typeof GetOptionsSchema> {}

export const ClearOptionsSchema = optionSet({
  /** Whether a leading system message stays. */
  keepSystem: option.boolean().default(false),
});

export interface ClearOptions extends OptionsOf<typeof ClearOptionsSchema> {}

export const LoadOptionsSchema = optionSet({
  /** Whether an incomplete state is rejected. False: its missing parts stay as they are in the conversation. */
  strict: option.boolean().default(true),
});

export interface LoadOptions extends OptionsOf<typeof LoadOptionsSchema> {}
