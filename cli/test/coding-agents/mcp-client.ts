import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import type { HookRun } from "./hook-run.js";

const MEMBUS = fileURLToPath(new URL("../../bin/membus.js", import.meta.url));

/** Starts `membus mcp` in the project of a run, as an agent does. It ends with the test. */
export async function startMcp({ project, url, env }: HookRun, ...flags: string[]): Promise<Client> {
  const client = new Client({ name: "membus-test", version: "1.0.0" });
  const command = process.execPath;
  const args = [MEMBUS, "mcp", ...(url === "" ? [] : ["--nats", url]), ...flags];
  await client.connect(new StdioClientTransport({ command, args, env, cwd: project, stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

export async function retrieveOver(client: Client, query: string): Promise<string> {
  const { content } = await client.callTool({ name: "memory_retrieve", arguments: { query } });
  return JSON.stringify(content);
}
