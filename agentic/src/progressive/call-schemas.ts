import { LIMITS, option, optionSet } from "@membus/protocol";
import { MessageContentSchema } from "@membus/protocol/records";
import type { ChatMessage } from "../model/index.js";
import { TASK_TYPES } from "./memory-record.js";
import { TARGET_LENGTH_MAX } from "./targets.js";

/** Maximum number of messages that are stored at once. */
export const MESSAGES_MAX = 1_000;

/** Maximum number of targets of a call. */
const TARGETS_MAX = 64;

/** Messages of one conversation, the oldest first. */
export const MessagesSchema = option
  .list(
    option.value<ChatMessage>(() => true, ""),
    1,
    MESSAGES_MAX,
  )
  .superRefine((messages, context) => {
    const ids = new Set<string>();
    for (const [index, message] of messages.entries()) {
      const problem = problemOf(message, ids);
      if (problem === undefined) continue;
      const text = problem.message.replace(/^Invalid \w+:/, "is invalid:");
      context.addIssue({ code: "custom", path: [index, ...problem.path], message: text });
    }
  });

/** Returns the first problem of a message, such as an id of `ids`. Adds its id to `ids`. */
function problemOf(message: ChatMessage, ids: Set<string>) {
  const { data, error } = MessageContentSchema.safeParse(message);
  if (error !== undefined) return error.issues[0];
  const { id } = data;
  if (typeof id !== "string") return undefined;
  if (ids.has(id)) return { path: [], message: `has the id of an earlier message: ${id}` };
  ids.add(id);
  return undefined;
}

const TargetsSchema = option.list(
  option.text().max(TARGET_LENGTH_MAX, { error: `must be at most ${TARGET_LENGTH_MAX} characters` }),
  1,
  TARGETS_MAX,
);

export const LimitSchema = option.integer(1, LIMITS.retrieveLimit);

/** Options of every call. */
export const ProgressiveCallSchema = optionSet({
  /** Targets of the memories. Absent: all. Guidelines for tools have no such target. */
  targets: TargetsSchema.optional(),
  signal: option.signal().optional(),
});

/** Type of the memories of a call. "auto" or absent: all types. */
export const MemoryTypeSchema = option.choice("auto", ...TASK_TYPES).optional();

/** Returns a check that exactly one of two options is set, for `refine`. */
export function exactlyOne<K extends string>(one: K, other: K) {
  const isValid = (options: { readonly [P in K]?: unknown }) =>
    (options[one] === undefined) !== (options[other] === undefined);
  return [isValid, { error: `set exactly one of \`${one}\` and \`${other}\`` }] as const;
}
