// Two MCP clients, an editor and a chat, each with its own server. One finds what the other has stored and is
// notified of changes. The user is asked before several memories are forgotten. No model is needed, because
// the calls are fixed.
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Environment } from "./setting.js";

const SERVER = fileURLToPath(new URL("../integrations/mcp/bin/membus-mcp.js", import.meta.url));

export async function mcp({ servers, folder }: Environment): Promise<void> {
  const clients = await Promise.all(["editor", "chat"].map((name) => connect(name, servers, folder)));
  const [editor, chat] = clients as [Client, Client];
  try {
    await remember(editor, chat);
    await forget(chat);
  } finally {
    for (const client of clients) await client.close();
  }
}

/**
 * Starts a server, as clients do from their `mcpServers`. Both servers use the memory of the agent `mcp` in
 * this namespace.
 */
async function connect(name: string, servers: string, folder: string): Promise<Client> {
  const client = new Client(
    { name, version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    console.log(`  ${name} asks the user: ${params.message}`);
    return { action: "accept", content: { forget: true } };
  });
  const args = [SERVER, "--nats", servers, "--namespace", "mcp-example"];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: "inherit" }),
  );
  return client;
}

async function remember(editor: Client, chat: Client): Promise<void> {
  const { tools } = await chat.listTools();
  console.log(`tools: ${tools.map(({ name }) => name).join(", ")}`);
  const uri = String((await call(editor, "memory_remember", { key: "branch", value: "main" })).uri);
  console.log(`chat recalls: ${(await call(chat, "memory_recall", { key: "branch" })).value}`);
  const notified = new Promise<string>((resolve) => {
    chat.setNotificationHandler("notifications/resources/updated", ({ params }) => resolve(params.uri));
  });
  await chat.listen({ resourceSubscriptions: [uri] });
  await call(editor, "memory_remember", { key: "branch", value: "release-2" });
  console.log(`chat is notified: ${(await notified) === uri ? "the branch has changed" : "another change"}`);
  console.log(`chat recalls: ${(await call(chat, "memory_recall", { key: "branch" })).value}`);
  const memories = [
    "Tests run against a real nats-server",
    "Ada reviews everything that touches the protocol",
  ];
  await call(editor, "memory_store", {
    memories: memories.map((content) => ({ content, tags: ["project"] })),
  });
  const found = await call(chat, "memory_retrieve", { query: "who reviews the protocol?", limit: 1 });
  console.log(`chat finds: ${(found.memories as { content: string }[])[0]!.content}`);
}

async function forget(chat: Client): Promise<void> {
  const { forgotten } = await call(chat, "memory_forget", { tags: ["project"] });
  console.log(`forgotten: ${forgotten}`);
  await call(chat, "memory_forget", { keys: ["branch"] });
  console.log(`left: ${(await call(chat, "memory_retrieve", {})).total}`);
}

/** Calls a tool and returns its structured result. A model receives the same result as text. */
async function call(
  client: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
  if (isError) throw new TypeError(content.map((part) => ("text" in part ? part.text : "")).join(""));
  return structuredContent as Record<string, unknown>;
}
