import { idOption } from "@membus/agentic";
import { choiceOption, type MemoryTier, type ResolvedOptions, resolveOptions, TIERS } from "@membus/protocol";

export interface HistoryOptions {
  /** Id of the conversation, 1..128 characters. All writers with this id share it. */
  readonly sessionId: string;
  /**
   * "semantic" for histories that all agents of the tenant share, "working" for data that need not survive a
   * restart of the host.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
}

export const HISTORY_DEFAULTS = Object.freeze({ tier: "episodic" } as const);

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveHistoryOptions(input: HistoryOptions): ResolvedOptions<HistoryOptions> {
  return resolveOptions<ResolvedOptions<HistoryOptions>>(
    input,
    { ...HISTORY_DEFAULTS, sessionId: "" },
    { sessionId: idOption, tier: choiceOption(...TIERS) },
  );
}
