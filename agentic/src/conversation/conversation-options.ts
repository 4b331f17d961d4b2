import { booleanOption, choiceOption, type MemoryTier, resolveOptions, TIERS } from "@membus/protocol";
import { idOption } from "../option-rules.js";

/** Namespace of all conversations. */
export const CONVERSATIONS_NAMESPACE = "conversations";

export interface ConversationOptions {
  /** Id of the conversation: 1..128 characters, the `group` of its records. */
  readonly id: string;
  /**
   * Tier of the conversation. "working": it ends with the session. "semantic": all agents of the tenant share
   * it.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * System prompt, stored as the first message. It replaces an earlier description. "": no change.
   * @default ""
   */
  readonly description?: string | undefined;
  /**
   * Whether summaries and offloaded texts list the messages that they are derived from. A forget of these
   * messages with `cascade` then deletes them too. False for a host without support for sources, which would
   * reject them.
   * @default true
   */
  readonly sources?: boolean | undefined;
}

export interface ResolvedConversationOptions {
  readonly id: string;
  readonly tier: MemoryTier;
  readonly description: string;
  readonly sources: boolean;
}

export const CONVERSATION_DEFAULTS = Object.freeze({
  tier: "episodic",
  description: "",
  sources: true,
} as const);

export function idsOption(value: unknown, name: string): void {
  if (!Array.isArray(value)) throw new TypeError(`${name} must be a list of ids`);
  for (const [index, id] of value.entries()) idOption(id, `${name}[${index}]`);
}

function textOption(value: unknown, name: string): void {
  if (typeof value !== "string") throw new TypeError(`${name} must be a string`);
}

/**
 * @throws {TypeError} for an unknown option (the message suggests the nearest known one) or a value out of
 * range.
 */
export function resolveConversationOptions(input: ConversationOptions): ResolvedConversationOptions {
  return resolveOptions<ResolvedConversationOptions>(
    input,
    { ...CONVERSATION_DEFAULTS, id: "" },
    { id: idOption, tier: choiceOption(...TIERS), description: textOption, sources: booleanOption },
  );
}
