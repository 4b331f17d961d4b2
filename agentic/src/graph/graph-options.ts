import {
  choiceOption,
  integerOption,
  type MemoryTier,
  type ResolvedOptions,
  resolveOptions,
  TIERS,
} from "@membus/protocol";
import { namespaceOption } from "../option-rules.js";

export interface GraphOptions {
  /**
   * Namespace of the triples, 1..8 segments. Use one per graph, such as `graph/travel`.
   * @default "graph"
   */
  readonly namespace?: string | undefined;
  /**
   * "semantic" for a graph that all agents of the tenant share.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * "lower" stores nodes in lower case, so `Berlin` and `berlin` are one node. With "keep" they are two,
   * which `merge` can combine.
   * @default "keep"
   */
  readonly nodeCase?: "keep" | "lower" | undefined;
  /**
   * Attempts of a change while other writers change the same triples, 1..1000.
   * @default 20
   */
  readonly attemptsMax?: number | undefined;
  /**
   * Maximum triples that one call reads, 1..100000. Iterators have no limit. A result that was cut says so.
   * @default 10000
   */
  readonly tripleCountMax?: number | undefined;
  /**
   * Maximum nodes that one search for paths visits, 1..100000.
   * @default 10000
   */
  readonly nodeCountMax?: number | undefined;
}

export type ResolvedGraphOptions = ResolvedOptions<GraphOptions>;

export const GRAPH_DEFAULTS = Object.freeze({
  namespace: "graph",
  tier: "episodic",
  nodeCase: "keep",
  attemptsMax: 20,
  tripleCountMax: 10_000,
  nodeCountMax: 10_000,
} as const);

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveGraphOptions(input: GraphOptions): ResolvedGraphOptions {
  return resolveOptions<ResolvedGraphOptions>(input, GRAPH_DEFAULTS, {
    namespace: namespaceOption,
    tier: choiceOption(...TIERS),
    nodeCase: choiceOption("keep", "lower"),
    attemptsMax: integerOption(1, 1_000),
    tripleCountMax: integerOption(1, 100_000),
    nodeCountMax: integerOption(1, 100_000),
  });
}
