import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchNatsServer } from "@membus/nats-server";
import { afterAll, expect, it } from "vitest";
import { freePort } from "../../bus/test/free-port.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { runCli } from "./run-cli.js";

const directory = mkdtempSync(join(tmpdir(), "membus-test-"));
afterAll(() => rmSync(directory, { recursive: true }));

const example = (name: string) =>
  fileURLToPath(new URL(`../../protocol/spec/examples/${name}.conf`, import.meta.url));

async function authConfig(): Promise<string> {
  await runCli(["auth", "init"], { cwd: directory });
  await runCli(["auth", "add-tenant", "acme"], { cwd: directory });
  return join(directory, "membus-auth", "nats-auth.conf");
}

/** Returns `max_pending` from the server's monitoring port. */
async function pendingBytesMax(configFile: string | undefined): Promise<unknown> {
  const port = await freePort();
  const monitoring = ["-m", String(port)];
  const config = configFile === undefined ? {} : { configFile };
  const server = await launchNatsServer({ binary: NATS_SERVER, extraArgs: monitoring, ...config });
  try {
    const response = await fetch(`http://127.0.0.1:${port}/varz`);
    return ((await response.json()) as Record<string, unknown>).max_pending;
  } finally {
    await server.stop();
  }
}

it.each([
  ["started by `membus up`", async () => undefined],
  ["configured by `membus auth`", authConfig],
  ["of the example with one account", async () => example("one-account")],
  ["of the example with an account per tenant", async () => example("account-per-tenant")],
])(
  "allows 512 MB of pending data for the host before it closes the connection: the server %s",
  async (_, config) => {
    expect(await pendingBytesMax(await config())).toBe(512 * 1024 * 1024);
  },
);
