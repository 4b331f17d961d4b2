import { z } from "zod";

/** Maximum number of set-aside messages of a conversation, because its cursor stores them. */
export const SET_ASIDE_MAX = 64;

const REASON_LENGTH_MAX = 300;

export const SetAsideSchema = z.object({
  /** Id of the message. */
  message: z.string(),
  seq: z.number(),
  /** Code and message of the `ModelError`. */
  code: z.string(),
  reason: z.string(),
  /** Unix seconds when it was set aside. */
  at: z.number(),
  /** True if it is to be retried. */
  again: z.boolean().optional(),
});

/** A message that was skipped because the model cannot process it. */
export interface SetAside extends z.infer<typeof SetAsideSchema> {}

/** A set-aside message with its conversation. */
export interface SetAsideMessage extends SetAside {
  readonly conversation: string;
}

export interface SetAsideSelection {
  /** Id of a conversation. Absent: all. */
  readonly conversation?: string | undefined;
  /** Id of a message. Absent: all. */
  readonly message?: string | undefined;
}

export function setAsideOf(message: string, seq: number, at: number, fault: Fault): SetAside {
  return { message, seq, code: fault.code, reason: fault.message.slice(0, REASON_LENGTH_MAX), at };
}

/** A failure that the messages of a batch caused and that a retry would repeat. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  /** True if the question how the extracted facts relate to known ones failed. */
  readonly isDeciding: boolean;
}
