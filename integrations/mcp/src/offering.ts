import type { AgentMemory } from "@membus/agent-client";
import type { Logger } from "@membus/protocol";
import type { McpServer } from "@modelcontextprotocol/server";
import type { ResolvedMcpOptions } from "./options.js";

/** What tools, resources and prompts are added to a server with. */
export interface Offering {
  readonly server: McpServer;
  /** @throws {MemoryError} `unavailable` where there is no connection. */
  readonly memory: () => Promise<AgentMemory>;
  readonly options: ResolvedMcpOptions;
  readonly logger: Logger;
}

export const READING = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
