import type { AgentMemory } from "@membus/agent-client";
import { type Logger, silentLogger } from "@membus/protocol";
import { McpServer, type McpServerFactory, type ServerCapabilities } from "@modelcontextprotocol/server";
import type { ChangeNotices } from "./change-notices.js";
import { addGraph } from "./graph/graph-tools.js";
import type { Offering } from "./offering.js";
import { type McpOptions, type ResolvedMcpOptions, resolveMcpOptions } from "./options.js";
import { addMemoryResources } from "./resources.js";
import { addForgetTool } from "./tools/forget-tool.js";
import { addReadingTools } from "./tools/reading-tools.js";
import { addRecallPrompt } from "./tools/recall-prompt.js";
import { addWritingTools } from "./tools/writing-tools.js";
import { VERSION } from "./version.js";

const SUBSCRIPTIONS_MAX = 1_000;

export interface MemoryServerDependencies {
  /** Whose memory it is. What it throws is what a call is answered. */
  readonly memory: () => Promise<AgentMemory>;
  /** For clients that stay connected; without it none is told of changes. */
  readonly notices?: ChangeNotices | undefined;
  readonly logger?: Logger;
}

/**
 * Makes servers, one for a connection on standard input and output, or for each request over HTTP: what `serveStdio` and
 * `createMcpHandler` of `@modelcontextprotocol/server` take.
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function memoryServers(
  { memory, notices, logger = silentLogger }: MemoryServerDependencies,
  given: McpOptions = {},
): McpServerFactory {
  const options = resolveMcpOptions(given);
  return ({ era, requestInfo }) => {
    // Over HTTP nobody is told of a change in the older revisions: each request is answered by another server.
    const canSubscribe = notices !== undefined && (era === "modern" || requestInfo === undefined);
    const server = new McpServer(
      { name: "membus", title: "membus memory", version: VERSION },
      { instructions: instructionsFor(options), capabilities: capabilitiesOf(options, canSubscribe) },
    );
    offer({ server, memory, options, logger });
    if (canSubscribe && requestInfo === undefined) tellOfChanges(server, notices, era === "legacy");
    return server;
  };
}

function offer(offering: Offering): void {
  if (offering.options.graph) return addGraph(offering);
  addReadingTools(offering);
  if (!offering.options.readOnly) {
    addWritingTools(offering);
    addForgetTool(offering);
  }
  addMemoryResources(offering);
  addRecallPrompt(offering);
}

/** Tools and prompts are the same for as long as it runs, and the graph is one resource. */
function capabilitiesOf({ graph }: ResolvedMcpOptions, canSubscribe: boolean): ServerCapabilities {
  const resources = { subscribe: canSubscribe, listChanged: canSubscribe && !graph };
  const fixed = { listChanged: false };
  return { tools: fixed, resources, ...(!graph && { prompts: fixed }) };
}

function instructionsFor({ graph, readOnly }: ResolvedMcpOptions): string {
  if (graph) return "A knowledge graph that outlives this conversation: search_nodes before you answer.";
  const retrieve =
    "This memory outlives the conversation. Call memory_retrieve before answering what may have come up earlier.";
  return readOnly
    ? retrieve
    : `${retrieve} Call memory_store when you learn what will be of use again: one fact in each memory.`;
}

/** On a connection that stays. In the older revisions a client subscribes here, in 2026-07-28 with whoever serves. */
function tellOfChanges(server: McpServer, notices: ChangeNotices, isLegacy: boolean): void {
  const subscribed = new Set<string>();
  if (isLegacy) {
    server.server.setRequestHandler("resources/subscribe", ({ params }) => {
      if (subscribed.size >= SUBSCRIPTIONS_MAX)
        throw new TypeError(`more than ${SUBSCRIPTIONS_MAX} subscriptions`);
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
      // Whoever has gone meanwhile needs no notice.
      server.server.sendResourceUpdated({ uri }).catch(() => {});
    },
    resourcesChanged: () => server.sendResourceListChanged(),
  });
  server.server.onclose = stop;
}
