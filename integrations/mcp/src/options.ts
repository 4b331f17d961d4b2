import { type OptionsOf, option, optionSet, parseOptions, type ResolvedOptionsOf } from "@membus/protocol";

export const McpOptionsSchema = optionSet({
  /** Tier of memories for calls without a tier, and tier of the graph. */
  tier: option.tier().default("episodic"),
  /** Whether tools that change memories are left out. */
  readOnly: option.boolean().default(false),
  /** Whether the server has the tools of `@modelcontextprotocol/server-memory` instead of the membus tools. */
  graph: option.boolean().default(false),
  /** Maximum characters of a returned graph. A larger graph is an error. */
  graphCharsMax: option.integer(1_000, 10_000_000).default(100_000),
});

/** Options of a server. */
export interface McpOptions extends OptionsOf<typeof McpOptionsSchema> {}
export interface ResolvedMcpOptions extends ResolvedOptionsOf<typeof McpOptionsSchema> {}

export const MCP_DEFAULTS: ResolvedMcpOptions = parseOptions(McpOptionsSchema, {});
