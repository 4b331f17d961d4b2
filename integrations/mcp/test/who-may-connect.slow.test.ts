import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../../bus/test/free-port.js";
import { endChild, lineOf, runCli, spawnCli } from "../../../cli/test/run-cli.js";
import { McpFixture } from "./mcp-fixture.js";

const directory = mkdtempSync(join(tmpdir(), "membus-mcp-auth-"));
const fixture = new McpFixture();
let up: ChildProcessWithoutNullStreams;

beforeAll(async () => {
  const port = await freePort();
  for (const step of ["init", "add-tenant acme", "add-agent acme alice", "add-agent acme bob"]) {
    expect(await runCli(["auth", ...step.split(" ")], { cwd: directory })).toMatchObject({ code: 0 });
  }
  const flags = ["--data", join(directory, "data"), "--port", String(port), "--auth", "membus-auth"];
  up = spawnCli(["up", ...flags], { cwd: directory });
  await lineOf(up, /^membus is listening on/);
  await fixture.useBus(`nats://127.0.0.1:${port}`);
});
afterAll(async () => {
  await fixture.stop();
  await endChild(up, "SIGTERM");
  rmSync(directory, { recursive: true });
});

/** Returns the settings that `membus auth add-agent` prints for an agent, with the key of another. */
function settings(agent: string, key = agent): Record<string, string> {
  return {
    MEMBUS_TENANT: "acme",
    MEMBUS_AGENT: agent,
    MEMBUS_INBOX_PREFIX: `_INBOX_${agent}`,
    MEMBUS_NATS_NKEY: join(directory, "membus-auth", "keys", `acme.${key}.nk`),
  };
}

it("uses the memory of the agent with its key, and is notified of changes", async () => {
  const client = await fixture.client("stdio", "former", ["--namespace", "own"], { env: settings("alice") });
  const { structured } = await client.call("memory_remember", { key: "a", value: 1 });
  expect(structured).toMatchObject({ outcome: "created" });
  const notices = await client.subscribe(structured!.uri as string);
  const other = await fixture.client("http", "2026-07-28", ["--namespace", "own"], {
    env: settings("alice"),
  });
  await other.call("memory_remember", { key: "a", value: 2 });
  expect(await notices.next()).toBe(structured!.uri);
  const bob = await fixture.client("stdio", "former", ["--namespace", "own"], { env: settings("bob") });
  expect((await bob.call("memory_recall", { key: "a" })).structured).toMatchObject({ found: false });
});

it("reports to the model that the key belongs to another agent, or is unknown", async () => {
  for (const env of [{}, { ...settings("bob", "alice") }]) {
    const client = await fixture.client("stdio", "former", [], { env });
    const { isError, text } = await client.call("memory_recall", { key: "a" });
    expect([isError, text]).toEqual([true, expect.stringContaining("(unauthorized). A retry will not help")]);
  }
});
