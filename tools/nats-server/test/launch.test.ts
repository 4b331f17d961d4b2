import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { systemClock } from "@membus/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NATS_SERVER as binary } from "../../../bus/test/nats-server.js";
import { findNatsServer, type LaunchOptions, launchNatsServer, type NatsServer } from "../src/index.js";
import { readServerInfo } from "../src/server-info.js";
import { temporaryDir } from "./fake-nats-server.js";

let directory: string;
const launched: NatsServer[] = [];
beforeEach(() => {
  directory = temporaryDir();
});
afterEach(async () => {
  await Promise.all(launched.splice(0).map((server) => server.kill()));
  rmSync(directory, { recursive: true });
});

async function launch(options: Partial<LaunchOptions> = {}): Promise<NatsServer> {
  const server = await launchNatsServer({ binary, ...options });
  launched.push(server);
  return server;
}

const answers = async (port: number) => (await readServerInfo(port, 5_000, systemClock)) !== undefined;

describe("launchNatsServer", () => {
  it("starts two concurrently on different ports", async () => {
    const { version } = (await findNatsServer({ explicitPath: binary, env: process.env }))!;
    const [a, b] = await Promise.all([launch(), launch()]);
    expect(a.port).not.toBe(b.port);
    expect(a.url).toBe(`nats://127.0.0.1:${a.port}`);
    expect([a.version, b.version]).toEqual([version, version]);
    expect(await Promise.all([answers(a.port), answers(b.port)])).toEqual([true, true]);
  });

  it("stops one gracefully without affecting the other", async () => {
    const [a, b] = await Promise.all([launch({ pidFile: join(directory, "pid") }), launch()]);
    expect(readFileSync(join(directory, "pid"), "utf8")).toBe(String(a.pid));
    await a.stop();
    await a.stop();
    // A graceful end has no signal. SIGKILL would be reported as a signal.
    expect((await a.exited).signal).toBeNull();
    expect(await Promise.all([answers(a.port), answers(b.port)])).toEqual([false, true]);
  });

  it("kills, and restarts on the same port", async () => {
    const first = await launch();
    await first.kill();
    expect(await first.exited).toEqual({ code: null, signal: "SIGKILL" });
    const second = await launch({ port: first.port });
    expect(second.port).toBe(first.port);
    expect(second.pid).not.toBe(first.pid);
  });

  it("enables JetStream only with a store directory", async () => {
    const info = (server: NatsServer) => readInfoLine(server.port);
    expect(await info(await launch())).not.toContain('"jetstream":true');
    expect(await info(await launch({ storeDir: join(directory, "js") }))).toContain('"jetstream":true');
  });

  it("listens on loopback regardless of configuration and arguments", async () => {
    const configFile = join(directory, "nats.conf");
    writeFileSync(configFile, 'listen: "0.0.0.0:1"\nserver_name: from_config\n');
    const server = await launch({ configFile, extraArgs: ["-a", "0.0.0.0", "-p", "2"] });
    const line = await readInfoLine(server.port);
    expect(line).toContain('"server_name":"from_config"');
    expect(line).toContain('"host":"127.0.0.1"');
  });
});

describe("launchNatsServer, if the server does not start", () => {
  it("says that another program uses the port", async () => {
    const { port } = await launch();
    await expect(launch({ port })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^nats-server cannot listen on port \d+: another program uses it$/),
      detail: { port },
    });
  });

  it("does not accept another server on that port", async () => {
    const other = createServer((socket) => socket.write('INFO {"version":"0.0.0"}\r\n'));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    await expect(launch({ port })).rejects.toMatchObject({ code: "unavailable" });
    await new Promise((resolve) => other.close(resolve));
  });

  it("reports an invalid configuration, an invalid argument, a missing program", async () => {
    const configFile = join(directory, "bad.conf");
    writeFileSync(configFile, "no_such_thing: 1\n");
    await expect(launch({ configFile })).rejects.toThrow(/unknown field "no_such_thing"/);
    await expect(launch({ extraArgs: ["--no-such-flag"] })).rejects.toThrow(/no-such-flag/);
    await expect(launch({ binary: join(directory, "absent") })).rejects.toThrow(
      /did not start: spawn .* ENOENT/,
    );
  });

  it("rejects a port out of range before starting a process", async () => {
    await expect(launch({ port: 65_536 })).rejects.toThrow(
      new TypeError("port must be an integer of 0..65535, got 65536"),
    );
  });
});

describe("a launched server", () => {
  it("ends when the process that launched it is killed", async () => {
    const script = join(import.meta.dirname, "launch-and-wait.ts");
    const args = ["--import", "tsx", "-C", "membus-source", script, binary];
    const owner = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const port = Number(
      await new Promise((resolve, reject) => {
        owner.stdout.once("data", resolve);
        owner.once("exit", () => reject(new Error("the process ended before it launched a server")));
      }),
    );
    expect(await answers(port)).toBe(true);
    owner.kill("SIGKILL");
    await expect.poll(() => answers(port)).toBe(false);
  });

  it("leaves no files in the temporary directory", async () => {
    vi.stubEnv("TMPDIR", directory);
    await launch();
    expect(readdirSync(directory)).toEqual([]);
    vi.unstubAllEnvs();
  });
});

/** Reads the complete INFO line. The product reads only the version. */
function readInfoLine(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("error", reject);
    socket.setEncoding("utf8").once("data", (data) => {
      socket.destroy();
      resolve(String(data));
    });
  });
}
