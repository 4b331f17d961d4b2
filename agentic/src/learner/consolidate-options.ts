import { booleanOption, integerOption, type ResolvedOptions, resolveOptions } from "@membus/protocol";
import { fractionOption } from "../long-term/index.js";

export interface ConsolidateOptions {
  /**
   * Whether to report the changes without making them. The model is called anyway.
   * @default false
   */
  readonly dryRun?: boolean | undefined;
  /**
   * Minimum score at which a fact is a neighbour of another one, 0..1. 0.3 means "related in meaning".
   * @default 0.3
   */
  readonly neighbourScore?: number | undefined;
  /**
   * Maximum number of neighbours of a fact, integer 1..20.
   * @default 5
   */
  readonly neighbourCountMax?: number | undefined;
  /**
   * Maximum number of queries, one for each fact, the newest first. Integer 1..100000.
   * @default 1000
   */
  readonly queryCountMax?: number | undefined;
  /**
   * Maximum number of questions to the model, integer 1..10000.
   * @default 100
   */
  readonly questionCountMax?: number | undefined;
}

export type ResolvedConsolidateOptions = ResolvedOptions<ConsolidateOptions>;

export const CONSOLIDATE_DEFAULTS = Object.freeze({
  dryRun: false,
  neighbourScore: 0.3,
  neighbourCountMax: 5,
  queryCountMax: 1_000,
  questionCountMax: 100,
});

/**
 * @throws {TypeError} for an unknown option (the message suggests the nearest known one) or a value out of
 * range.
 */
export function resolveConsolidateOptions(input: ConsolidateOptions): ResolvedConsolidateOptions {
  return resolveOptions<ResolvedConsolidateOptions>(input, CONSOLIDATE_DEFAULTS, {
    dryRun: booleanOption,
    neighbourScore: fractionOption,
    neighbourCountMax: integerOption(1, 20),
    queryCountMax: integerOption(1, 100_000),
    questionCountMax: integerOption(1, 10_000),
  });
}
