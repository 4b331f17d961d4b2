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
   * Namespace of the checkpoints, 1..8 segments. Use it for nothing else.
   * @default "langgraph/checkpoints"
   */
  readonly namespace?: string | undefined;
  /**
   * "semantic" for threads that all agents of the tenant continue, "working" for data that need not survive
   * a restart of the host.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * Seconds until a checkpoint expires, 1..3155760000. Absent: never. Values of channels live as long as the
   * last checkpoint with them, so each `put` then writes all of them.
   */
  readonly ttl?: number | undefined;
  /**
   * Number of newest checkpoints to keep for each thread and checkpoint namespace, 1..100000. Absent: all.
   * From 10 on up to a tenth more are kept, so that not every `put` has to clean up. Checkpoints that a
   * `DeltaChannel` is built from are kept too.
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
