import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { directoryHolder } from "@membus/disk";
import { afterEach, expect, it } from "vitest";
import { HookRun } from "./hook-run.js";
import { retrieveOver, startMcp } from "./mcp-client.js";

const START = { hook_event_name: "SessionStart", source: "startup" };

let run: HookRun;
afterEach(async () => {
  await endHost();
  run.remove();
});

async function freeUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `nats://127.0.0.1:${port}`;
}

function keyPath(): string {
  return join(run.folder, "state/membus/coding-agents/host.nk");
}

function holder() {
  return directoryHolder(join(run.folder, "data/membus/episodic"));
}

/** Ends the host that a hook has started. */
async function endHost(): Promise<void> {
  const host = await holder();
  if (host === undefined) return;
  process.kill(host.pid, "SIGTERM");
  await expect.poll(holder).toBe(undefined);
}

it("starts one host for several sessions that start at once, and delivers the queued write", async () => {
  run = new HookRun(await freeUrl());
  const prompt = { hook_event_name: "UserPromptSubmit", prompt: "Always use pnpm in this repository." };
  await run.answer(prompt);
  const sessions = ["s-1", "s-2", "s-3"];
  const answers = await Promise.all(sessions.map((session_id) => run.answer({ ...START, session_id })));
  await expect
    .poll(async () => (await run.answer({ ...START, session_id: "s-4" })).systemMessage)
    .toBe(undefined);
  const log = readFileSync(join(run.folder, "state/membus/coding-agents/host.log"), "utf8");
  expect(log).toContain(`membus is listening on ${run.url}`);
  expect(answers).toHaveLength(3);
  const nkeySeed = readFileSync(keyPath(), "utf8").trim();
  const memory = await MemoryClient.connect({ servers: run.url, agent: "coding-agent", nkeySeed });
  const { total } = await memory.inNamespace("about").retrieve({ namespace: "about/**" });
  expect(total).toBe(1);
  await memory.close();
  const first = await holder();
  await run.answer({ ...START, session_id: "s-5" });
  expect((await holder())?.pid).toBe(first?.pid);
});

it("starts a host that only programs of the user can connect to", async () => {
  run = new HookRun(await freeUrl());
  await run.answer({ hook_event_name: "UserPromptSubmit", prompt: "Always use pnpm in this repository." });
  await expect.poll(async () => (await run.answer(START)).systemMessage).toBe(undefined);
  expect(statSync(keyPath()).mode & 0o777).toBe(0o600);
  await expect(MemoryClient.connect({ servers: run.url, agent: "other" })).rejects.toMatchObject({
    code: "unauthorized",
  });
  const found = await run.cli(["export", "--agent", "coding-agent"]);
  expect(found.stdout).toContain("Always use pnpm");
  expect(await retrieveOver(await startMcp(run), "pnpm")).toContain("Always use pnpm");
});

it("gives an MCP server that was started before the first hook access to the host", async () => {
  run = new HookRun(await freeUrl());
  const client = await startMcp(run);
  await run.answer({ hook_event_name: "UserPromptSubmit", prompt: "Always use pnpm in this repository." });
  await expect.poll(async () => (await run.answer(START)).systemMessage).toBe(undefined);
  await expect.poll(() => retrieveOver(client, "pnpm")).toContain("Always use pnpm");
});

it("starts no host if that is turned off, or at another machine", async () => {
  run = new HookRun(await freeUrl());
  const off = await run.answer(START, ["--no-start"]);
  expect(off.systemMessage).toMatch(/^membus: memory is degraded: /);
  const elsewhere = await run.answer(START, ["--nats", "nats://192.0.2.1:4222"]);
  expect(elsewhere.systemMessage).toMatch(/^membus: memory is degraded: /);
  expect(await holder()).toBe(undefined);
});

it("gives the reason why the host that it has started could not run, and keeps the log", async () => {
  run = new HookRun(await freeUrl());
  mkdirSync(join(run.folder, "data/membus"), { recursive: true });
  writeFileSync(join(run.folder, "data/membus/semantic"), "");
  const log = join(run.folder, "state/membus/coding-agents/host.log");
  const notice = /^membus: memory is degraded: the host that was started ended with 1: (.+)\. Its log is /;
  const first = await run.answer(START);
  expect(first.systemMessage).toMatch(notice);
  const cause = notice.exec(first.systemMessage!)![1]!;
  expect(cause).toMatch(/semantic/);
  expect((await run.answer(START)).systemMessage).toContain(cause);
  expect(readFileSync(log, "utf8").split(cause)).toHaveLength(3);
});
