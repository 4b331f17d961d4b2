import {
  choiceOption,
  integerOption,
  type MemoryTier,
  type ResolvedOptions,
  resolveOptions,
  TIERS,
} from "@membus/protocol";
import { namespaceOption } from "../option-rules.js";

export interface BlocksOptions {
  /**
   * Namespace of the blocks, 1..8 segments.
   * @default "blocks"
   */
  readonly namespace?: string | undefined;
  /**
   * Tier of the blocks. "semantic": all agents of the tenant share them.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * Maximum number of attempts for an edit that conflicts with other writers, 1..1000.
   * @default 20
   */
  readonly attemptsMax?: number | undefined;
  /**
   * Number of earlier values of a block that `undo` can go back to, 0..10.
   * @default 10
   */
  readonly revisionCountMax?: number | undefined;
  /**
   * Maximum number of blocks, 1..1000. Creating another one fails.
   * @default 100
   */
  readonly blockCountMax?: number | undefined;
}

export type ResolvedBlocksOptions = ResolvedOptions<BlocksOptions>;

export const BLOCKS_DEFAULTS = Object.freeze({
  namespace: "blocks",
  tier: "episodic",
  attemptsMax: 20,
  revisionCountMax: 10,
  blockCountMax: 100,
} as const);

/**
 * @throws {TypeError} for an unknown option (the message suggests the nearest known one) or a value out of
 * range.
 */
export function resolveBlocksOptions(input: BlocksOptions): ResolvedBlocksOptions {
  return resolveOptions<ResolvedBlocksOptions>(input, BLOCKS_DEFAULTS, {
    namespace: namespaceOption,
    tier: choiceOption(...TIERS),
    attemptsMax: integerOption(1, 1_000),
    revisionCountMax: integerOption(0, 10),
    blockCountMax: integerOption(1, 1_000),
  });
}
