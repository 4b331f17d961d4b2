import {
  booleanOption,
  choiceOption,
  integerOption,
  type MemoryTier,
  resolveOptions,
  TIERS,
} from "@membus/protocol";

/** What a server offers, and of which memory. */
export interface McpOptions {
  /**
   * Where memories go for which a call names no tier, and where the graph is.
   * @default "episodic"
   */
  readonly tier?: MemoryTier;
  /**
   * Whether the tools that change something are left out.
   * @default false
   */
  readonly readOnly?: boolean;
  /**
   * Whether it has the tools of `@modelcontextprotocol/server-memory` instead of those of membus.
   * @default false
   */
  readonly graph?: boolean;
  /**
   * Characters of a graph that is returned as a whole, 1000..10000000; a larger one is refused.
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
