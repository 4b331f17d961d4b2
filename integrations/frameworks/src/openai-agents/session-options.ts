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
  /** Id of the session of the agent, 1..512 characters. Absent: a new one. */
  readonly sessionId?: string | undefined;
  /**
   * Namespace of all sessions, 1..8 segments.
   * @default "openai-sessions"
   */
  readonly namespace?: string | undefined;
  /**
   * "semantic" for sessions that all agents of the tenant share, "working" for data that need not survive a
   * restart of the host.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * Attempts of a change while other writers change the session, 1..10000.
   * @default 100
   */
  readonly attemptsMax?: number | undefined;
  /**
   * Number of latest transactions that are remembered, so that a repeated one has no second effect, 1..10000.
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
    throw new TypeError(`${name} must have 1..${SESSION_ID_LENGTH_MAX} characters`);
  }
};
