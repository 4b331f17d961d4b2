import type { AgentMemory } from "@membus/agent-client";
import type { Logger } from "@membus/protocol/plugin";
import type { McpServer } from "@modelcontextprotocol/server";
import type { ResolvedMcpOptions } from "./options.js";

/** Dependencies for adding tools, resources and prompts to a server. */
export interface ServerParts {
  readonly server: McpServer;
  /** @throws {MemoryError} `unavailable` if there is no connection. */
  readonly memory: () => Promise<AgentMemory>;
  readonly options: ResolvedMcpOptions;
  readonly logger: Logger;
}

export const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
