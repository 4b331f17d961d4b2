import type { EntryInput } from "@membus/agent-client";
import type { MemoryEntry } from "@membus/protocol";
import { z } from "zod";
import type { ResolvedLearnerOptions } from "./learner-options.js";
import { SET_ASIDE_MAX, SetAsideSchema } from "./set-aside.js";

const ContentSchema = z.object({
  /** `seq` of the last message that is learned; 0: none. */
  learned: z.number(),
  /** `seq` of the newest message that was found. */
  seen: z.number(),
  /** Unix seconds: no message that is to be learned is older. */
  since: z.number(),
  /** Unix seconds: when the newest one came. */
  last: z.number(),
  /** `seq` up to which is being learned: whoever goes on takes the same messages. */
  batchTo: z.number().optional(),
  /** Instead of that, the id of a message that was set aside and is being learned. */
  retried: z.string().optional(),
  /** Who learns it, while it is held. */
  holder: z.string().optional(),
  /** Failures of what was begun that were its own fault. */
  faults: z.int().min(0).default(0),
  /** Its facts are taken for new: the model does not tell how they stand to others. */
  undecided: z.boolean().optional(),
  /** `seq` up to which a batch was at fault: until it is learned, one that fails is divided at once. */
  suspectTo: z.number().optional(),
  /** Messages that the next batch has at most, up to there. */
  countMax: z.int().min(1).optional(),
  setAside: z.array(SetAsideSchema).max(SET_ASIDE_MAX).default([]),
});

/** "open": there is something to learn; "held": somebody is at it; "done": all is learned that was found. */
const StateSchema = z.enum(["open", "held", "done"]);

const CursorSchema = z.object({
  key: z.strictObject({ learner: z.literal("cursor"), conversation: z.string() }),
  content: ContentSchema,
  metadata: z.object({
    kind: z.literal("learner_cursor"),
    state: StateSchema,
    /** Unix seconds: not before; while it is held, when the lease is over. */
    due: z.number(),
    /** Failures since anything was learned. */
    attempts: z.int().min(0),
    /** How many messages are set aside. */
    set_aside: z.int().min(0).default(0),
  }),
  revision: z.number(),
});

/** How far a conversation is learned. */
export interface Cursor extends z.infer<typeof ContentSchema> {
  readonly conversation: string;
  readonly state: z.infer<typeof StateSchema>;
  readonly due: number;
  readonly attempts: number;
  /** 0: it is new. */
  readonly revision: number;
}

/** Messages of a conversation that were found. */
export interface Sighting {
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

/** For a store: only over the revision that was read. Nothing of it is to be found by its words. */
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

export function newCursor(conversation: string, sighting: Sighting): Cursor {
  const none = { learned: 0, due: 0, attempts: 0, faults: 0, revision: 0, state: "done" as const };
  return { ...sighting, ...none, seen: 0, setAside: [], conversation };
}

/** With messages that were found; undefined where that is no news. Who holds it goes on to hold it. */
export function sighted(cursor: Cursor, sighting: Sighting, timing: Timing): Cursor | undefined {
  if (sighting.seen <= Math.max(cursor.seen, cursor.learned)) return undefined;
  const { seen, last } = sighting;
  if (cursor.state === "held") return { ...cursor, seen, last };
  const isNew = cursor.state === "done";
  const changed = {
    ...cursor,
    ...{ seen, last, state: "open" as const },
    since: isNew ? sighting.since : Math.min(cursor.since, sighting.since),
  };
  return { ...changed, due: Math.max(cursor.attempts > 0 ? cursor.due : 0, quietAt(changed, timing)) };
}

/** What is begun: messages up to a `seq`, or one that was set aside, by its id. */
export interface Begun {
  readonly to: number;
  readonly retried?: string | undefined;
}

/** Nobody else begins it for as long as the lease goes. */
export function heldBy(cursor: Cursor, holder: string, { to, retried }: Begun, until: number): Cursor {
  const begun = retried === undefined ? { batchTo: to } : { retried };
  return { ...cursor, ...begun, state: "held", holder, due: until };
}

export interface LearnedUpTo extends Begun {
  /** Unix seconds: when the last message of them came. */
  readonly at: number;
  /** There were more than one batch takes. */
  readonly hasMore: boolean;
}

/** What was held is learned. What came meanwhile is to be quiet first; what did not fit in is not waited for. */
export function moved(cursor: Cursor, { to, at, hasMore, retried }: LearnedUpTo, timing: Timing): Cursor {
  const { holder: _holder, batchTo: _batchTo, retried: _retried, undecided: _undecided, ...kept } = cursor;
  const over = { ...kept, attempts: 0, faults: 0 };
  if (retried !== undefined) {
    const setAside = cursor.setAside.filter(({ message }) => message !== retried);
    return waiting({ ...over, setAside }, cursor.seen > cursor.learned, timing);
  }
  const rest = { ...over, learned: Math.max(cursor.learned, to), since: at };
  const { suspectTo, countMax: _countMax, ...clean } = rest;
  const isSuspect = suspectTo !== undefined && suspectTo > rest.learned;
  return waiting(isSuspect ? rest : clean, hasMore, timing);
}

/** Open where there is something to learn, at once where it is not to be quiet first. */
export function waiting(cursor: Cursor, isAtOnce: boolean, timing: Timing): Cursor {
  const isAgain = cursor.setAside.some(({ again }) => again);
  if (cursor.seen <= cursor.learned && !isAgain) return { ...cursor, state: "done", due: 0 };
  return { ...cursor, state: "open", due: isAtOnce || isAgain ? 0 : quietAt(cursor, timing) };
}

/** What was held is tried again at `due`, with the same messages. */
export function postponed(cursor: Cursor, due: number): Cursor {
  const { holder: _holder, ...kept } = cursor;
  return { ...kept, state: "open", attempts: cursor.attempts + 1, due };
}

function quietAt({ last, since }: Pick<Cursor, "last" | "since">, { debounceMs, waitMsMax }: Timing): number {
  return Math.min(last + debounceMs / 1000, since + waitMsMax / 1000);
}
