import {
  booleanOption,
  choiceOption,
  LIMITS,
  type MemoryTier,
  resolveOptions,
  TIERS,
} from "@membus/protocol";

/** Where all conversations are: a namespace of each agent's own, or in the semantic tier of the tenant's. */
export const CONVERSATIONS_NAMESPACE = "conversations";

export interface ConversationOptions {
  /** Which one: 1..128 characters, the `group` of its records. */
  readonly id: string;
  /**
   * Where it is kept: "working" ends with the session, "semantic" is every agent's of the tenant.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * The system prompt: it leads the conversation, and one that is there already becomes this one. "": whatever leads
   * it stays.
   * @default ""
   */
  readonly description?: string | undefined;
  /**
   * Summaries and offloaded texts name the messages that they are of: a forget of these with `cascade` takes them, too.
   * False for a host that knows no sources, which would refuse them.
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

export function idOption(value: unknown, name: string): void {
  if (typeof value !== "string" || value === "" || value.length > LIMITS.idLength) {
    throw new TypeError(`${name} must be 1..${LIMITS.idLength} characters, got ${String(value)}`);
  }
}

export function idsOption(value: unknown, name: string): void {
  if (!Array.isArray(value)) throw new TypeError(`${name} must be a list`);
  for (const [index, id] of value.entries()) idOption(id, `${name}[${index}]`);
}

function textOption(value: unknown, name: string): void {
  if (typeof value !== "string") throw new TypeError(`${name} must be a text`);
}

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveConversationOptions(input: ConversationOptions): ResolvedConversationOptions {
  return resolveOptions<ResolvedConversationOptions>(
    input,
    { ...CONVERSATION_DEFAULTS, id: "" },
    { id: idOption, tier: choiceOption(...TIERS), description: textOption, sources: booleanOption },
  );
}
