import { fileURLToPath } from "node:url";
import { type ConnectedClient, connectStdio } from "../../../mcp/test/mcp-clients.js";
import { NAMESPACES, PLACES, type Program } from "./program.js";

const SERVER = fileURLToPath(new URL("../../../mcp/bin/membus-mcp.js", import.meta.url));

/** MCP clients and the servers that they start, one per namespace and one for the graph. */
export class McpPrograms {
  readonly #clients = new Map<string, ConnectedClient>();

  async start(url: string, agent: string, cwd: string): Promise<void> {
    const rest = Object.entries(process.env).filter(([name]) => !/^(MEMBUS|NATS)_/.test(name));
    const env = Object.fromEntries(rest) as Record<string, string>;
    const open = async (name: string, namespace: string, ...flags: string[]) => {
      const args = [SERVER, "--nats", url, "--agent", agent, "--namespace", namespace, ...flags];
      const command = { command: process.execPath, args, cwd, env };
      this.#clients.set(name, await connectStdio("2026-07-28", command));
    };
    for (const namespace of NAMESPACES) await open(namespace, namespace);
    await open("graph", PLACES.graph, "--graph");
  }

  async stop(): Promise<void> {
    for (const client of this.#clients.values()) await client.close();
  }

  get programs(): Program[] {
    return [
      {
        name: "the tools of MCP",
        kept: "tools of MCP",
        write: async (content) => {
          for (const namespace of NAMESPACES) {
            await this.#call(namespace, "memory_store", { memories: [{ content }] });
          }
        },
        find: (query, namespace) => this.#call(namespace, "memory_retrieve", { query }),
      },
      {
        name: "--graph of MCP",
        kept: "graph",
        write: async (text) => {
          const entities = [{ name: "Ada", entityType: "person", observations: [text] }];
          await this.#call("graph", "create_entities", { entities });
        },
        find: (query) => this.#call("graph", "search_nodes", { query }),
      },
    ];
  }

  async #call(client: string, tool: string, args: Record<string, unknown>): Promise<unknown> {
    const { structured, text, isError } = await this.#clients.get(client)!.call(tool, args);
    if (isError) throw new Error(`${tool}: ${text}`);
    return structured;
  }
}
