import { namespaceOption } from "@membus/agentic";
import {
  choiceOption,
  integerOption,
  type MemoryTier,
  optionalOption,
  type ResolvedOptions,
  resolveOptions,
  TIERS,
} from "@membus/protocol";
import { ttlOption } from "../../values/index.js";

export interface SaverOptions {
  /**
   * Where the checkpoints are, 1..8 segments; for nothing else.
   * @default "langgraph/checkpoints"
   */
  readonly namespace?: string | undefined;
  /**
   * "semantic" for threads that all agents of the tenant go on with, "working" for those that need not outlive the host.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * Seconds after which a checkpoint ends, 1..3155760000; absent: never. The values of channels live as long as the
   * last checkpoint that has them, which is why each `put` then writes all of them.
   */
  readonly ttl?: number | undefined;
  /**
   * How many checkpoints are kept of each thread and checkpoint namespace, 1..100000, the newest; absent: all. From 10 on
   * up to a tenth more are there, so that not every `put` has to look for what may go. What a `DeltaChannel` of a kept
   * one is built from is kept, too.
   */
  readonly retention?: number | undefined;
}

export type ResolvedSaverOptions = Readonly<
  ResolvedOptions<Pick<SaverOptions, "namespace" | "tier">> & Pick<SaverOptions, "ttl" | "retention">
>;

export const SAVER_DEFAULTS = Object.freeze({
  namespace: "langgraph/checkpoints",
  tier: "episodic",
} as const);

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveSaverOptions(input: SaverOptions): ResolvedSaverOptions {
  const defaults = { ...SAVER_DEFAULTS, ttl: undefined, retention: undefined };
  return resolveOptions<ResolvedSaverOptions>(input, defaults, {
    namespace: namespaceOption,
    tier: choiceOption(...TIERS),
    ttl: ttlOption,
    retention: optionalOption(integerOption(1, 100_000)),
  });
}
