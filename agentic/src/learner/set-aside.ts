import { z } from "zod";

/** Of a conversation: its cursor has them. */
export const SET_ASIDE_MAX = 64;

const REASON_LENGTH_MAX = 300;

export const SetAsideSchema = z.object({
  /** The message's id. */
  message: z.string(),
  seq: z.number(),
  /** Why it is not learned: the code of a `ModelError`, and its words. */
  code: z.string(),
  reason: z.string(),
  /** Unix seconds: when it was set aside. */
  at: z.number(),
  /** It is to be tried once more. */
  again: z.boolean().optional(),
});

/** A message that is not learned, as the model takes it neither with others nor alone. */
export interface SetAside extends z.infer<typeof SetAsideSchema> {}

/** The same, with whose message it is. */
export interface SetAsideMessage extends SetAside {
  readonly conversation: string;
}

export interface SetAsideSelection {
  /** Of this conversation alone. Absent: of all. */
  readonly conversation?: string | undefined;
  /** Of its messages this one alone, by its id. Absent: all. */
  readonly message?: string | undefined;
}

export function setAsideOf(message: string, seq: number, at: number, fault: Fault): SetAside {
  return { message, seq, code: fault.code, reason: fault.message.slice(0, REASON_LENGTH_MAX), at };
}

/** A failure that is the batch's own, and would be the same again: what an error says of it. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  /** Facts were found in it, and how they stand to others is what the model does not tell. */
  readonly isDeciding: boolean;
}
