import type { AgentMemory } from "@membus/agent-client";
import { parseOptions, silentLogger } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { McpServer, type McpServerFactory, type ServerCapabilities } from "@modelcontextprotocol/server";
import type { ChangeNotices } from "./change-notices.js";
import { addGraph } from "./graph/graph-tools.js";
import { type McpOptions, McpOptionsSchema, type ResolvedMcpOptions } from "./options.js";
import { addMemoryResources } from "./resources.js";
import type { ServerParts } from "./server-parts.js";
import { addForgetTool } from "./tools/forget-tool.js";
import { addReadingTools } from "./tools/reading-tools.js";
import { addRecallPrompt } from "./tools/recall-prompt.js";
import { addWritingTools } from "./tools/writing-tools.js";
import { VERSION } from "./version.js";

const SUBSCRIPTIONS_MAX = 1_000;

export interface MemoryServerDependencies {
  /** Returns the memory of the calls. A tool call fails with the error that it throws. */
  readonly memory: () => Promise<AgentMemory>;
  /** Change notifications for clients that stay connected. Absent: no notifications. */
  readonly notices?: ChangeNotices | undefined;
  readonly logger?: Logger;
}

/**
 * Returns a factory for servers: one per connection on standard input and output, or one per HTTP request.
 * `serveStdio` and `createMcpHandler` of `@modelcontextprotocol/server` take it.
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function memoryServers(
  { memory, notices, logger = silentLogger }: MemoryServerDependencies,
  given: McpOptions = {},
): McpServerFactory {
  const options = parseOptions(McpOptionsSchema, given);
  return ({ era, requestInfo }) => {
    // Older revisions over HTTP get no notifications, because each request is handled by another server.
    const canSubscribe = notices !== undefined && (era === "modern" || requestInfo === undefined);
    const server = new McpServer(
      { name: "membus", title: "membus memory", version: VERSION },
      { instructions: instructionsFor(options), capabilities: capabilitiesOf(options, canSubscribe) },
    );
    addParts({ server, memory, options, logger });
    if (canSubscribe && requestInfo === undefined) sendNotifications(server, notices, era === "legacy");
    return server;
  };
}

function addParts(parts: ServerParts): void {
  if (parts.options.graph) return addGraph(parts);
  addReadingTools(parts);
  if (!parts.options.readOnly) {
    addWritingTools(parts);
    addForgetTool(parts);
  }
  addMemoryResources(parts);
  addRecallPrompt(parts);
}

/**
 * Returns the capabilities. Tools and prompts never change while the server runs, and a graph is one
 * resource.
 */
function capabilitiesOf({ graph }: ResolvedMcpOptions, canSubscribe: boolean): ServerCapabilities {
  const resources = { subscribe: canSubscribe, listChanged: canSubscribe && !graph };
  const fixed = { listChanged: false };
  return { tools: fixed, resources, ...(!graph && { prompts: fixed }) };
}

function instructionsFor({ graph, readOnly }: ResolvedMcpOptions): string {
  if (graph)
    return "A knowledge graph that persists across conversations. Call search_nodes before you answer.";
  const retrieve =
    "This memory persists across conversations. Call memory_retrieve before answering about anything that may have come up earlier.";
  return readOnly
    ? retrieve
    : `${retrieve} Call memory_store when you learn something that will be useful again: one fact per memory.`;
}

/**
 * Sends change notifications on a persistent connection. Clients of older revisions subscribe here. In
 * 2026-07-28 the transport handles subscriptions.
 */
function sendNotifications(server: McpServer, notices: ChangeNotices, isLegacy: boolean): void {
  const subscribed = new Set<string>();
  if (isLegacy) {
    server.server.setRequestHandler("resources/subscribe", ({ params }) => {
      if (subscribed.size >= SUBSCRIPTIONS_MAX)
        throw new TypeError(`too many subscriptions: limit ${SUBSCRIPTIONS_MAX}`);
      subscribed.add(params.uri);
      return {};
    });
    server.server.setRequestHandler("resources/unsubscribe", ({ params }) => {
      subscribed.delete(params.uri);
      return {};
    });
  }
  const stop = notices.listen({
    resourceUpdated: (uri) => {
      if (isLegacy && !subscribed.has(uri)) return;
      // A disconnected client needs no notification.
      server.server.sendResourceUpdated({ uri }).catch(() => {});
    },
    resourcesChanged: () => server.sendResourceListChanged(),
  });
  server.server.onclose = stop;
}
