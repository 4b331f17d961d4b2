/** The reference MCP server for memory: one process, one JSON lines file, substring search. */
export const packages = ["@modelcontextprotocol/server-memory@2026.8.31", "@modelcontextprotocol/sdk@1.32.2"];

export async function open({ directory }) {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ["node_modules/@modelcontextprotocol/server-memory/dist/index.js"],
    env: { ...process.env, MEMORY_FILE_PATH: `${directory}/memory.jsonl` },
    stderr: "ignore",
  });
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
  const call = async (name, args) => client.callTool({ name, arguments: args });
  return {
    store: (id, text) =>
      call("create_entities", { entities: [{ name: id, entityType: "memory", observations: [text] }] }),
    search: (query) => call("search_nodes", { query }),
    close: () => client.close(),
  };
}
