import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { TtlSchema } from "../../values/index.js";

export const SaverOptionsSchema = optionSet({
  /** Namespace of the checkpoints. Use it for nothing else. */
  namespace: option.namespace().default("langgraph/checkpoints"),
  /**
   * "semantic" for threads that all agents of the tenant continue, "working" for data that need not survive
   * a restart of the host.
   */
  tier: option.tier().default("episodic"),
  /**
   * Seconds until a checkpoint expires. Absent: never. Values of channels live as long as the last checkpoint
   * with them, so each `put` then writes all of them.
   */
  ttl: TtlSchema.optional(),
  /**
   * Number of newest checkpoints to keep for each thread and checkpoint namespace. Absent: all. From 10 on up
   * to a tenth more are kept, so that not every `put` has to clean up. Checkpoints that a `DeltaChannel` is
   * built from are kept too.
   */
  retention: option.integer(1, 100_000).optional(),
});

export interface SaverOptions extends OptionsOf<typeof SaverOptionsSchema> {}
export interface ResolvedSaverOptions extends ResolvedOptionsOf<typeof SaverOptionsSchema> {}
