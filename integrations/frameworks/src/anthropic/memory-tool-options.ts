import { namespaceOption } from "@membus/agentic";
import {
  choiceOption,
  integerOption,
  type MemoryTier,
  type ResolvedOptions,
  resolveOptions,
  TIERS,
} from "@membus/protocol";

export interface AnthropicMemoryOptions {
  /**
   * Namespace of all files, 1..8 segments. Use one per user to keep their files separate.
   * @default "memories"
   */
  readonly namespace?: string | undefined;
  /**
   * "semantic" for files that all agents of the tenant share, "working" for data that need not survive a restart of the host.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * Attempts of an edit while other writers change the file, 1..1000.
   * @default 20
   */
  readonly attemptsMax?: number | undefined;
  /**
   * Maximum bytes of a file, 1..134217728. The model gets an error for a larger one.
   * @default 16777216
   */
  readonly fileBytesMax?: number | undefined;
}

export type ResolvedAnthropicMemoryOptions = ResolvedOptions<AnthropicMemoryOptions>;

export const ANTHROPIC_MEMORY_DEFAULTS = Object.freeze({
  namespace: "memories",
  tier: "episodic",
  attemptsMax: 20,
  fileBytesMax: 16 * 1024 * 1024,
} as const);

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveAnthropicMemoryOptions(input: AnthropicMemoryOptions): ResolvedAnthropicMemoryOptions {
  return resolveOptions<ResolvedAnthropicMemoryOptions>(input, ANTHROPIC_MEMORY_DEFAULTS, {
    namespace: namespaceOption,
    tier: choiceOption(...TIERS),
    attemptsMax: integerOption(1, 1_000),
    fileBytesMax: integerOption(1, 128 * 1024 * 1024),
  });
}
