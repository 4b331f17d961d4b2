import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { RunningHost } from "../running-host.js";
import { HookRun } from "./hook-run.js";
import { retrieveOver, startMcp } from "./mcp-client.js";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

it("shares the memory of the project with the hooks", async () => {
  const run = new HookRun(host.url);
  onTestFinished(() => run.remove());
  const client = await startMcp(run);
  const memories = [{ content: "The staging server is named heron." }];
  await client.callTool({ name: "memory_store", arguments: { memories } });
  const prompt = { hook_event_name: "UserPromptSubmit", prompt: "Which staging server do we use?" };
  const { hookSpecificOutput } = await run.answer(prompt);
  expect(hookSpecificOutput?.additionalContext).toContain("The staging server is named heron.");
  await run.answer({ hook_event_name: "UserPromptSubmit", prompt: "Always use pnpm in this repository." });
  expect(await retrieveOver(client, "pnpm")).toContain("Always use pnpm in this repository.");
});

it("serves another namespace with --namespace", async () => {
  const run = new HookRun(host.url);
  onTestFinished(() => run.remove());
  const client = await startMcp(run, "--namespace", "elsewhere", "--agent", "ada");
  await client.callTool({ name: "memory_store", arguments: { memories: [{ content: "Tea at four." }] } });
  const stored = await host.cli(["retrieve", "tea", "--agent", "ada", "--namespace", "elsewhere"]);
  expect(stored.stdout).toContain("Tea at four.");
});
