import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";

export const SessionOptionsSchema = optionSet({
  /** Id of the session of the agent. Default: a random id. */
  sessionId: option.shortText(512).optional(),
  /** Namespace of all sessions. */
  namespace: option.namespace().default("openai-sessions"),
  /**
   * "semantic" for sessions that all agents of the tenant share, "working" for data that need not survive a
   * restart of the host.
   */
  tier: option.tier().default("episodic"),
  /** Attempts of a change while other writers change the session. */
  attemptsMax: option.integer(1, 10_000).default(100),
  /** Number of latest transactions that are remembered, so that a repeated one has no second effect. */
  operationCountMax: option.integer(1, 10_000).default(1_000),
});

export interface SessionOptions extends OptionsOf<typeof SessionOptionsSchema> {}
export interface ResolvedSessionOptions extends ResolvedOptionsOf<typeof SessionOptionsSchema> {}
