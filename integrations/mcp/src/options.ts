import {
  booleanOption,
  choiceOption,
  integerOption,
  type MemoryTier,
  resolveOptions,
  TIERS,
} from "@membus/protocol";

/** Options of a server. */
export interface McpOptions {
  /**
   * Tier of memories for calls without a tier, and tier of the graph.
   * @default "episodic"
   */
  readonly tier?: MemoryTier;
  /**
   * Whether tools that change memories are left out.
   * @default false
   */
  readonly readOnly?: boolean;
  /**
   * Whether the server has the tools of `@modelcontextprotocol/server-memory` instead of the membus tools.
   * @default false
   */
  readonly graph?: boolean;
  /**
   * Maximum characters of a returned graph, 1000..10000000. A larger graph is an error.
   * @default 100000
   */
  readonly graphCharsMax?: number;
}

export type ResolvedMcpOptions = Readonly<Required<McpOptions>>;

export const MCP_DEFAULTS: ResolvedMcpOptions = Object.freeze({
  tier: "episodic",
  readOnly: false,
  graph: false,
  graphCharsMax: 100_000,
});

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveMcpOptions(options: McpOptions): ResolvedMcpOptions {
  return resolveOptions(options, MCP_DEFAULTS, {
    tier: choiceOption(...TIERS),
    readOnly: booleanOption,
    graph: booleanOption,
    graphCharsMax: integerOption(1_000, 10_000_000),
  });
}
