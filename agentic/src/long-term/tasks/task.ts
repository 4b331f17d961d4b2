import type { EntryInput } from "@membus/agent-client";
import type { MemoryEntry } from "@membus/protocol";
import { MessageContentSchema, TrustSchema } from "@membus/protocol/records";
import { z } from "zod";
import { BudgetStateSchema } from "../../model/index.js";

/** The work of a task, stored until it is completed. */
const WorkSchema = z.object({
  input: z.array(z.union([z.string(), MessageContentSchema])),
  fields: z.object({
    infer: z.boolean(),
    category: z.string().optional(),
    metadata: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
      .optional(),
    trust: TrustSchema.optional(),
    sources: z.array(z.string()).optional(),
    at: z.number().optional(),
    group: z.string().optional(),
    statementsOnly: z.boolean().optional(),
  }),
  /** Revision of the forget mark when the work was queued. */
  mark: z.number(),
});
export type Work = z.infer<typeof WorkSchema>;

const OutcomeSchema = z.object({
  outcome: z.enum(["new", "updated", "extended", "duplicate", "superseded", "refused"]),
  id: z.string().optional(),
  replaced: z.string().optional(),
  reason: z.string().optional(),
  quarantined: z.literal(true).optional(),
});
/** Has no texts, because a forgotten text must not remain here. */
export type TaskOutcome = z.infer<typeof OutcomeSchema>;

const CostSchema = z.object({
  modelCalls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  tookMs: z.number(),
  entriesWritten: z.number(),
  usd: z.number().optional(),
  budget: BudgetStateSchema.optional(),
});

const ContentSchema = z.object({
  work: WorkSchema.optional(),
  outcomes: z.array(OutcomeSchema).optional(),
  cost: CostSchema.optional(),
  reason: z.string().optional(),
});

const TASK_STATES = ["queued", "running", "done", "failed"] as const;
export type TaskState = (typeof TASK_STATES)[number];

const MetadataSchema = z.object({
  kind: z.literal("task"),
  about: z.string(),
  tier: z.string(),
  state: z.enum(TASK_STATES),
  attempts: z.int().min(0),
  /** Unix seconds of the next attempt. While running: the end of the lease. */
  due: z.number(),
});

/** A queued task. */
export interface Task {
  readonly id: string;
  readonly content: z.infer<typeof ContentSchema>;
  readonly metadata: z.infer<typeof MetadataSchema>;
  /** 0 if it is not stored yet. */
  readonly revision: number;
}

const TaskSchema = z.object({
  key: z.strictObject({ task: z.string() }),
  content: ContentSchema,
  metadata: MetadataSchema,
  revision: z.number(),
});

export function readTask(entry: MemoryEntry): Task | undefined {
  const parsed = TaskSchema.safeParse(entry);
  if (!parsed.success) return undefined;
  const { key, content, metadata, revision } = parsed.data;
  return { id: key.task, content, metadata, revision };
}

/**
 * Returns the entry of a task, stored only if the revision is unchanged. Its text contains no words of the
 * work. A cascade deletes it with the sources of its facts.
 */
export function taskEntry({ id, content, metadata, revision }: Task, ttlS: number | undefined): EntryInput {
  const sources = content.work?.fields.sources;
  return {
    key: { task: id },
    content: content as never,
    metadata,
    text: "task",
    group: metadata.about,
    if_revision: revision,
    ...(sources !== undefined && { sources }),
    ...(ttlS !== undefined && { ttl: ttlS }),
  };
}
