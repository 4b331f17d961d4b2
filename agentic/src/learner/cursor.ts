import type { EntryInput } from "@membus/agent-client";
import type { MemoryEntry } from "@membus/protocol";
import { z } from "zod";
import type { ResolvedLearnerOptions } from "./learner-options.js";
import { SET_ASIDE_MAX, SetAsideSchema } from "./set-aside.js";

const ContentSchema = z.object({
  /** `seq` of the last learned message. 0: none. */
  learned: z.number(),
  /** `seq` of the newest message that was found. */
  seen: z.number(),
  /** Unix seconds. No message to learn is older. */
  since: z.number(),
  /** Unix seconds of the newest message. */
  last: z.number(),
  /** Last `seq` of the batch in progress. A learner that takes over learns the same messages. */
  batchTo: z.number().optional(),
  /** Id of the set-aside message in progress, instead of `batchTo`. */
  retried: z.string().optional(),
  /** Random id of the current claim on the conversation. */
  holder: z.string().optional(),
  /** Failures of the batch in progress that its messages caused. */
  faults: z.int().min(0).default(0),
  /** True if the facts of the batch count as new, without asking the model how they relate to known ones. */
  undecided: z.boolean().optional(),
  /**
   * Last `seq` of a batch that failed because of its messages. Until it is learned, a failed batch is divided
   * immediately.
   */
  suspectTo: z.number().optional(),
  /** Maximum number of messages of the next batch, up to `suspectTo`. */
  countMax: z.int().min(1).optional(),
  setAside: z.array(SetAsideSchema).max(SET_ASIDE_MAX).default([]),
});

/**
 * "open": there are messages to learn. "held": a learner has a lease. "done": all found messages are learned.
 */
const StateSchema = z.enum(["open", "held", "done"]);

const CursorSchema = z.object({
  key: z.strictObject({ learner: z.literal("cursor"), conversation: z.string() }),
  content: ContentSchema,
  metadata: z.object({
    kind: z.literal("learner_cursor"),
    state: StateSchema,
    /** Unix seconds of the next attempt. While held: the end of the lease. */
    due: z.number(),
    /** Failures since the last success. */
    attempts: z.int().min(0),
    /** Number of set-aside messages. */
    set_aside: z.int().min(0).default(0),
  }),
  revision: z.number(),
});

/** Learning progress of a conversation. */
export interface Cursor extends z.infer<typeof ContentSchema> {
  readonly conversation: string;
  readonly state: z.infer<typeof StateSchema>;
  readonly due: number;
  readonly attempts: number;
  /** 0 if the cursor is not stored yet. */
  readonly revision: number;
}

/** New messages of a conversation. */
export interface FoundMessages {
  readonly seen: number;
  readonly since: number;
  readonly last: number;
}

type Timing = Pick<ResolvedLearnerOptions, "debounceMs" | "waitMsMax">;

export function cursorKey(conversation: string) {
  return { learner: "cursor", conversation } as const;
}

export function readCursor(entry: MemoryEntry): Cursor | undefined {
  const parsed = CursorSchema.safeParse(entry);
  if (!parsed.success) return undefined;
  const { key, content, metadata, revision } = parsed.data;
  const { state, due, attempts } = metadata;
  return { ...content, conversation: key.conversation, state, due, attempts, revision };
}

/**
 * Returns the entry of a cursor, stored only if the revision is unchanged. Its text contains no words of the
 * conversation.
 */
export function cursorEntry({
  conversation,
  state,
  due,
  attempts,
  revision,
  ...content
}: Cursor): EntryInput {
  const known = Object.entries(content).filter(([, value]) => value !== undefined);
  return {
    key: cursorKey(conversation),
    content: Object.fromEntries(known) as EntryInput["content"],
    metadata: { kind: "learner_cursor", state, due, attempts, set_aside: content.setAside.length },
    text: "cursor",
    group: conversation,
    if_revision: revision,
  };
}

export function newCursor(conversation: string, found: FoundMessages): Cursor {
  const none = { learned: 0, due: 0, attempts: 0, faults: 0, revision: 0, state: "done" as const };
  return { ...found, ...none, seen: 0, setAside: [], conversation };
}

/** Adds new messages to a cursor. undefined if there are none. A lease stays valid. */
export function withFoundMessages(cursor: Cursor, found: FoundMessages, timing: Timing): Cursor | undefined {
  if (found.seen <= Math.max(cursor.seen, cursor.learned)) return undefined;
  const { seen, last } = found;
  if (cursor.state === "held") return { ...cursor, seen, last };
  const isNew = cursor.state === "done";
  const changed = {
    ...cursor,
    ...{ seen, last, state: "open" as const },
    since: isNew ? found.since : Math.min(cursor.since, found.since),
  };
  return { ...changed, due: Math.max(cursor.attempts > 0 ? cursor.due : 0, debounceEnd(changed, timing)) };
}

/** A batch in progress: messages up to a `seq`, or the id of a set-aside message. */
export interface BatchReference {
  readonly to: number;
  readonly retried?: string | undefined;
}

/** Claims a conversation. No other learner starts it until the lease ends. */
export function claimCursor(
  cursor: Cursor,
  holder: string,
  { to, retried }: BatchReference,
  until: number,
): Cursor {
  const reference = retried === undefined ? { batchTo: to } : { retried };
  return { ...cursor, ...reference, state: "held", holder, due: until };
}

export interface BatchEnd extends BatchReference {
  /** Unix seconds of the last message. */
  readonly at: number;
  /** True if more messages wait than fit into one batch. */
  readonly hasMore: boolean;
}

/**
 * Advances a cursor after its batch is learned. Messages that arrived since then wait for the debounce time.
 * Messages that did not fit into the batch do not.
 */
export function advanceCursor(
  cursor: Cursor,
  { to, at, hasMore, retried }: BatchEnd,
  timing: Timing,
): Cursor {
  const { holder: _holder, batchTo: _batchTo, retried: _retried, undecided: _undecided, ...kept } = cursor;
  const over = { ...kept, attempts: 0, faults: 0 };
  if (retried !== undefined) {
    const setAside = cursor.setAside.filter(({ message }) => message !== retried);
    return reopenCursor({ ...over, setAside }, cursor.seen > cursor.learned, timing);
  }
  const rest = { ...over, learned: Math.max(cursor.learned, to), since: at };
  const { suspectTo, countMax: _countMax, ...clean } = rest;
  const isSuspect = suspectTo !== undefined && suspectTo > rest.learned;
  return reopenCursor(isSuspect ? rest : clean, hasMore, timing);
}

/** Reopens a cursor if there is something to learn. `isAtOnce` skips the debounce time. */
export function reopenCursor(cursor: Cursor, isAtOnce: boolean, timing: Timing): Cursor {
  const isAgain = cursor.setAside.some(({ again }) => again);
  if (cursor.seen <= cursor.learned && !isAgain) return { ...cursor, state: "done", due: 0 };
  return { ...cursor, state: "open", due: isAtOnce || isAgain ? 0 : debounceEnd(cursor, timing) };
}

/** Postpones the same messages until `due`. */
export function postponeCursor(cursor: Cursor, due: number): Cursor {
  const { holder: _holder, ...kept } = cursor;
  return { ...kept, state: "open", attempts: cursor.attempts + 1, due };
}

function debounceEnd(
  { last, since }: Pick<Cursor, "last" | "since">,
  { debounceMs, waitMsMax }: Timing,
): number {
  return Math.min(last + debounceMs / 1000, since + waitMsMax / 1000);
}
