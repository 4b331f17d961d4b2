import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withSocketAddress } from "@membus/disk";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { readHostRecord, recordHost, reserveHost, runningHost } from "../../src/coding-agents/host-record.js";
import { resolveConfig } from "../../src/config/resolve-config.js";

let home: string;
let env: Record<string, string>;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "membus-record-"));
  env = { XDG_STATE_HOME: join(home, "state"), XDG_DATA_HOME: join(home, "data"), LOCALAPPDATA: home };
  onTestFinished(() => rmSync(home, { recursive: true }));
});

async function record(url: string, flags: object): Promise<void> {
  await recordHost(await resolveConfig({ flags, env: {}, configPath: false }), url, env);
}

it("records a host at the default port, also with another data folder", async () => {
  await record("nats://127.0.0.1:4222", { data: home });
  expect(await readHostRecord(env)).toEqual({ url: "nats://127.0.0.1:4222", data: home });
});

it("records no host with another port and another data folder, and none with a server elsewhere", async () => {
  await record("nats://127.0.0.1:4300", { data: home, nats: { port: 4300 } });
  await record("nats://192.0.2.1:4222", { data: home, nats: { url: "nats://192.0.2.1:4222" } });
  expect(await readHostRecord(env)).toBe(undefined);
});

it("trusts a recorded host only while it serves the control socket of its data folder", async () => {
  await record("nats://127.0.0.1:4222", { data: home });
  expect(await runningHost(env)).toBe(undefined);
  const control = createServer();
  await withSocketAddress(join(home, "control"), async (address) => {
    await new Promise<void>((resolve) => control.listen(address, resolve));
  });
  expect((await runningHost(env))?.url).toBe("nats://127.0.0.1:4222");
  expect((await reserveHost("/elsewhere", env)).url).toBe("nats://127.0.0.1:4222");
  await new Promise((resolve) => control.close(resolve));
});

it("reserves one address for processes that ask at once, and keeps it while no program has the port", async () => {
  const reserved = await Promise.all(Array.from({ length: 8 }, () => reserveHost(home, env)));
  const urls = new Set(reserved.map(({ url }) => url));
  expect(urls.size).toBe(1);
  expect(await reserveHost(home, env)).toEqual(reserved[0]);
});

it("reserves another port if a program has taken the first one", async () => {
  const { url } = await reserveHost(home, env);
  const port = Number(new URL(url).port);
  const other = createServer().on("error", () => undefined);
  await new Promise<void>((resolve) => {
    other
      .once("listening", resolve)
      .once("error", () => resolve())
      .listen(port, "127.0.0.1");
  });
  expect((await reserveHost(home, env)).url).not.toBe(url);
  other.close();
});
