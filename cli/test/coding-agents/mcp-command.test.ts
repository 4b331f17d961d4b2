import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { RunningHost } from "../running-host.js";
import { HookRun } from "./hook-run.js";

const MEMBUS = fileURLToPath(new URL("../../bin/membus.js", import.meta.url));

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

async function startServer({ project, url }: HookRun, ...flags: string[]): Promise<Client> {
  const client = new Client({ name: "membus-test", version: "1.0.0" });
  const command = process.execPath;
  const args = [MEMBUS, "mcp", "--nats", url, ...flags];
  await client.connect(new StdioClientTransport({ command, args, cwd: project, stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

async function retrieve(client: Client, query: string): Promise<string> {
  const { content } = await client.callTool({ name: "memory_retrieve", arguments: { query } });
  return JSON.stringify(content);
}

it("shares the memory of the project with the hooks", async () => {
  const run = new HookRun(host.url);
  onTestFinished(() => run.remove());
  const client = await startServer(run);
  const memories = [{ content: "The staging server is named heron." }];
  await client.callTool({ name: "memory_store", arguments: { memories } });
  const prompt = { hook_event_name: "UserPromptSubmit", prompt: "Which staging server do we use?" };
  const { hookSpecificOutput } = await run.answer(prompt);
  expect(hookSpecificOutput?.additionalContext).toContain("The staging server is named heron.");
  await run.answer({ hook_event_name: "UserPromptSubmit", prompt: "Always use pnpm in this repository." });
  expect(await retrieve(client, "pnpm")).toContain("Always use pnpm in this repository.");
});

it("serves another namespace with --namespace", async () => {
  const run = new HookRun(host.url);
  onTestFinished(() => run.remove());
  const client = await startServer(run, "--namespace", "elsewhere", "--agent", "ada");
  await client.callTool({ name: "memory_store", arguments: { memories: [{ content: "Tea at four." }] } });
  const stored = await host.cli(["retrieve", "tea", "--agent", "ada", "--namespace", "elsewhere"]);
  expect(stored.stdout).toContain("Tea at four.");
});
