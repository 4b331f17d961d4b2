import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";

export const HookOptionsSchema = optionSet({
  /** Tokens that the memories of one hook take in the context, at three bytes per token. 0 recalls nothing. */
  contextTokensMax: option.integer(0, 100_000).default(1_000),
  /** Minimum relevance of memories for a prompt, 0..1. */
  minScore: option.number(0, 1).default(0.25),
  /**
   * Tier of the preferences and decisions that the user states about a project. `semantic` shares them with
   * all agents of the tenant. All other notes are in the episodic tier.
   */
  tier: option.choice("episodic", "semantic").default("episodic"),
  /** Whether hooks keep notes. */
  capture: option.boolean().default(true),
  /** Time that a prompt waits for memories, in milliseconds. */
  recallTimeoutMs: option.integer(1, 60_000).default(800),
  /** Time that other events wait for the delivery of writes, in milliseconds. */
  drainTimeoutMs: option.integer(1, 60_000).default(1_500),
});

export interface HookOptions extends OptionsOf<typeof HookOptionsSchema> {}
export interface ResolvedHookOptions extends ResolvedOptionsOf<typeof HookOptionsSchema> {}
