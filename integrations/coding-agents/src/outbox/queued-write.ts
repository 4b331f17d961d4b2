import type { EntryInput } from "@membus/agent-client";
import { z } from "zod";

/** An entry to create, and the namespace that it belongs to. */
export interface NewWrite {
  readonly namespace: string;
  readonly entry: EntryInput;
}

/** A write on disk. `id` is the id of its request, so that a repeated delivery has one effect. */
export interface QueuedWrite extends NewWrite {
  readonly id: string;
}

/** Why the host refused a write. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

const StoredWriteSchema = z.object({
  id: z.string().min(1),
  namespace: z.string().min(1),
  entry: z.custom<EntryInput>((entry) => typeof entry === "object" && entry !== null && "key" in entry),
  refusal: z.object({ code: z.string(), message: z.string() }).optional(),
});

export interface StoredWrite extends QueuedWrite {
  /** Present for a refused write. */
  readonly refusal?: Refusal | undefined;
}

/** Returns undefined for a text that is not a complete write, such as a torn file. */
export function parseWrite(text: string): StoredWrite | undefined {
  try {
    return StoredWriteSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
