import { namespaceOption } from "@membus/agentic";
import {
  choiceOption,
  integerOption,
  type MemoryTier,
  type OptionRule,
  type ResolvedOptions,
  resolveOptions,
  TIERS,
} from "@membus/protocol";

export interface SessionOptions {
  /** Which session of the agent it is, 1..512 characters. Absent: a new one. */
  readonly sessionId?: string | undefined;
  /**
   * Where sessions are, all of them, 1..8 segments.
   * @default "openai-sessions"
   */
  readonly namespace?: string | undefined;
  /**
   * "semantic" for sessions that all agents of the tenant share, "working" for those that need not outlive the host.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * How often a change is attempted that other writers forestall, 1..10000.
   * @default 100
   */
  readonly attemptsMax?: number | undefined;
  /**
   * How many of the latest transactions are remembered, so that one which is tried again has no second effect, 1..10000.
   * @default 1000
   */
  readonly operationCountMax?: number | undefined;
}

export type ResolvedSessionOptions = ResolvedOptions<Omit<SessionOptions, "sessionId">>;

export const SESSION_DEFAULTS = Object.freeze({
  namespace: "openai-sessions",
  tier: "episodic",
  attemptsMax: 100,
  operationCountMax: 1_000,
} as const);

const SESSION_ID_LENGTH_MAX = 512;

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveSessionOptions(
  input: SessionOptions & { readonly sessionId: string },
): ResolvedOptions<SessionOptions> {
  return resolveOptions<ResolvedOptions<SessionOptions>>(
    input,
    { ...SESSION_DEFAULTS, sessionId: "" },
    {
      sessionId: sessionIdOption,
      namespace: namespaceOption,
      tier: choiceOption(...TIERS),
      attemptsMax: integerOption(1, 10_000),
      operationCountMax: integerOption(1, 10_000),
    },
  );
}

const sessionIdOption: OptionRule = (value, name) => {
  if (typeof value !== "string" || value === "" || value.length > SESSION_ID_LENGTH_MAX) {
    throw new TypeError(`${name} must be a text of 1..${SESSION_ID_LENGTH_MAX} characters`);
  }
};
