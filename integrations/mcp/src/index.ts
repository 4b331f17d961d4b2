export { ChangeNotices } from "./change-notices.js";
export { type MemoryServerDependencies, memoryServers } from "./memory-server.js";
export { MCP_DEFAULTS, type McpOptions } from "./options.js";
