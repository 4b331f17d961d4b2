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
   * Where the files are, all of them, 1..8 segments. Another one for each user keeps their files apart.
   * @default "memories"
   */
  readonly namespace?: string | undefined;
  /**
   * "semantic" for files that all agents of the tenant share, "working" for those that need not outlive the host.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * How often an edit is attempted that other writers forestall, 1..1000.
   * @default 20
   */
  readonly attemptsMax?: number | undefined;
  /**
   * Bytes that a file may have, 1..134217728; the model is told of one that would have more.
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
