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
   * Where the triples are, 1..8 segments. A graph for each topic is one namespace for each: `graph/travel`.
   * @default "graph"
   */
  readonly namespace?: string | undefined;
  /**
   * "semantic" for a graph that all agents of the tenant share.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * "lower" makes `Berlin` and `berlin` one node, in lower case; "keep" leaves them two, which `merge` can unite.
   * @default "keep"
   */
  readonly nodeCase?: "keep" | "lower" | undefined;
  /**
   * How often a change is attempted that other writers forestall, 1..1000.
   * @default 20
   */
  readonly attemptsMax?: number | undefined;
  /**
   * Triples that one call reads at most, iterators apart, 1..100000. A result that ends there says so.
   * @default 10000
   */
  readonly tripleCountMax?: number | undefined;
  /**
   * Nodes that one search for paths visits at most, 1..100000.
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
