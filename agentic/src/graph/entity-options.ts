import {
  choiceOption,
  integerOption,
  type MemoryTier,
  type ResolvedOptions,
  resolveOptions,
  TIERS,
} from "@membus/protocol";
import { namespaceOption } from "../option-rules.js";

export interface EntityGraphOptions {
  /**
   * Namespace of the graph, 1..8 segments.
   * @default "graph"
   */
  readonly namespace?: string | undefined;
  /**
   * "semantic" for a graph that all agents of the tenant share.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * "normalised": names and texts become composed Unicode (NFC) with single spaces, relation types become lower case with `_` for
   * spaces. Empty texts are rejected. "exact": every text is stored as given, also an empty one.
   * @default "normalised"
   */
  readonly spelling?: "normalised" | "exact" | undefined;
  /**
   * "lower" stores normalised names in lower case, so `Berlin` and `berlin` are one entity. Ignored if `spelling` is "exact".
   * @default "keep"
   */
  readonly nodeCase?: "keep" | "lower" | undefined;
  /**
   * Attempts of a change while other writers change the same entity, 1..1000.
   * @default 20
   */
  readonly attemptsMax?: number | undefined;
  /**
   * Entities, and also relations, that `readGraph` returns at most, 1..1000000. A result that was cut has `truncated: true`.
   * @default 10000
   */
  readonly itemCountMax?: number | undefined;
}

export type ResolvedEntityGraphOptions = ResolvedOptions<EntityGraphOptions>;

export const ENTITY_GRAPH_DEFAULTS = Object.freeze({
  namespace: "graph",
  tier: "episodic",
  spelling: "normalised",
  nodeCase: "keep",
  attemptsMax: 20,
  itemCountMax: 10_000,
} as const);

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveEntityGraphOptions(input: EntityGraphOptions): ResolvedEntityGraphOptions {
  return resolveOptions<ResolvedEntityGraphOptions>(input, ENTITY_GRAPH_DEFAULTS, {
    namespace: namespaceOption,
    tier: choiceOption(...TIERS),
    spelling: choiceOption("normalised", "exact"),
    nodeCase: choiceOption("keep", "lower"),
    attemptsMax: integerOption(1, 1_000),
    itemCountMax: integerOption(1, 1_000_000),
  });
}
