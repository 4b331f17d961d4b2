import { LIMITS, type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { encodeSegment } from "@membus/protocol/records";
import { BudgetOptionsSchema } from "../budget/index.js";

/** Prefix of the subject and of the conversation of a user. */
const USER_PREFIX = "user:";
const USER_LENGTH_MAX = LIMITS.namespaceSegmentLength - USER_PREFIX.length;

export const UserSchema = option.value<string>((user) => {
  const length = typeof user === "string" ? encodeSegment(user).length : 0;
  return length >= 1 && length <= USER_LENGTH_MAX;
}, `must be 1..${USER_LENGTH_MAX} characters ('%', '/', '*' and control characters count as 3)`);

/** Returns the subject of the facts about a user, which is also the id of the user's conversation. */
export function userSubject(user: string): string {
  return `${USER_PREFIX}${user}`;
}

export const MemoryOptionsSchema = optionSet({
  /**
   * Tier of facts and messages. "episodic": of the agent. "semantic": shared by all agents of the tenant.
   */
  tier: option.choice("episodic", "semantic").default("episodic"),
  /** Maximum number of tokens that `context` returns. */
  contextTokensMax: option.integer(200, 10_000_000).default(8_000),
  /** Maximum number of facts that `context` adds. */
  contextFactsMax: option.integer(0, 100).default(10),
  /**
   * Budget of the calls of the model, shared by all processes of the agent. Absent: no limit. Over it, facts are
   * extracted later and contexts are not summarized.
   */
  budget: BudgetOptionsSchema.optional(),
});

export interface MemoryOptions extends OptionsOf<typeof MemoryOptionsSchema> {}
export interface ResolvedMemoryOptions extends ResolvedOptionsOf<typeof MemoryOptionsSchema> {}

export const AddToMemoryOptionsSchema = optionSet({
  /** User that the memories belong to. */
  user: UserSchema,
  /** Whether to wait until the facts are stored. False: they are stored in the background. */
  wait: option.boolean().default(true),
});

/** Options of `Memory.add`. */
export interface AddToMemoryOptions extends OptionsOf<typeof AddToMemoryOptionsSchema> {}

export const SearchMemoryOptionsSchema = optionSet({
  /** User that the memories belong to. */
  user: UserSchema,
  /** Maximum number of memories. */
  limit: option.integer(1, LIMITS.retrieveLimit).default(5),
});

/** Options of `Memory.search`. */
export interface SearchMemoryOptions extends OptionsOf<typeof SearchMemoryOptionsSchema> {}

export const HistoryOptionsSchema = optionSet({
  /** Number of newest messages. Absent: all. */
  last: option.integer(0, Number.MAX_SAFE_INTEGER).optional(),
});

/** Options of `Memory.history`. */
export interface HistoryOptions extends OptionsOf<typeof HistoryOptionsSchema> {}
