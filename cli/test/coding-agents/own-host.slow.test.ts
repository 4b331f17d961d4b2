import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { directoryHolder } from "@membus/disk";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { afterEach, beforeEach, expect, it } from "vitest";
import { freePort } from "../../../bus/test/free-port.js";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";
import { lineOf, spawnCli } from "../run-cli.js";
import { HookRun } from "./hook-run.js";
import { retrieveOver, startMcp } from "./mcp-client.js";

const START = { hook_event_name: "SessionStart", source: "startup" };
const PROMPT = { hook_event_name: "UserPromptSubmit", prompt: "Always use pnpm in this repository." };

let run: HookRun;
let foreign: NatsServer | undefined;
beforeEach(async () => {
  // Another program may already listen on the default port. Then it has the role of the server of another user.
  foreign = await launchNatsServer({ binary: NATS_SERVER, port: 4222 }).catch(() => undefined);
  run = new HookRun("");
});
afterEach(async () => {
  const holder = () => directoryHolder(join(run.folder, "data/membus/episodic"));
  const host = await holder();
  if (host !== undefined) process.kill(host.pid, "SIGTERM");
  await expect.poll(holder).toBe(undefined);
  await foreign?.stop();
  run.remove();
});

function recordPath(): string {
  return join(run.folder, "state/membus/coding-agents/host.json");
}

function recordedUrl(): string {
  return (JSON.parse(readFileSync(recordPath(), "utf8")) as { url: string }).url;
}

it("starts a host on another port if another user listens on the default port, for all commands", async () => {
  const client = await startMcp(run);
  const { systemMessage } = await run.answer(PROMPT);
  expect(systemMessage).toContain("no host of this user is running. 1 write is queued on this machine");
  await expect.poll(async () => (await run.answer(START)).systemMessage).toBe(undefined);
  expect(recordedUrl()).toMatch(/^nats:\/\/127\.0\.0\.1:(?!4222$)\d+$/);
  expect(statSync(recordPath()).mode & 0o777).toBe(0o600);
  await expect.poll(() => retrieveOver(client, "pnpm")).toContain("Always use pnpm");
  const exported = await run.cli(["export", "--agent", "coding-agent"]);
  expect(exported.stdout).toContain("Always use pnpm");
  const listed = await run.cli(["outbox", "retry"]);
  expect(listed.code).toBe(0);
});

it("uses a host that the user has started with the data of the hooks, without an address", async () => {
  const url = `nats://127.0.0.1:${await freePort()}`;
  const flags = ["--data", join(run.folder, "data/membus"), "--port", new URL(url).port];
  await lineOf(spawnCli(["up", ...flags], { cwd: run.folder, env: run.env }), /^membus is listening on/);
  expect(recordedUrl()).toBe(url);
  expect(await run.answer(PROMPT, ["--no-start"])).toEqual({});
  const exported = await run.cli(["export", "--agent", "coding-agent"]);
  expect(exported.stdout).toContain("Always use pnpm");
});
