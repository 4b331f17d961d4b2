import {
  choiceOption,
  LIMITS,
  type MemoryTier,
  type ResolvedOptions,
  resolveOptions,
  TIERS,
} from "@membus/protocol";

export interface HistoryOptions {
  /** Which conversation: 1..128 characters. A conversation of that name which others write to is the same one. */
  readonly sessionId: string;
  /**
   * "semantic" for histories that all agents of the tenant share, "working" for those that need not outlive the host.
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

function idOption(value: unknown, name: string): void {
  if (value === "") throw new TypeError(`${name} is needed: 1..${LIMITS.idLength} characters`);
  if (typeof value === "string" && value.length <= LIMITS.idLength) return;
  throw new TypeError(`${name} must be 1..${LIMITS.idLength} characters, got ${String(value)}`);
}
