import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { connectNatsBus } from "@membus/bus";
import { launchNatsServer } from "@membus/nats-server";
import { silentLogger, systemClock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import type { HostUnderTest } from "../../src/index.js";

const SCRIPT = fileURLToPath(new URL("./naive-host.js", import.meta.url));
const PREFIX = "foreign";

/** The naive host in a separate process with a separate nats-server. */
export interface ForeignHost {
  readonly implementation: HostUnderTest;
  readonly bus: Bus;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export async function startForeignHost(): Promise<ForeignHost> {
  const server = await launchNatsServer({ binary: NATS_SERVERS[0]! });
  const host = spawn(process.execPath, [SCRIPT, server.url, PREFIX], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(host.stdout, "data");
  const bus = await connectNatsBus({ servers: server.url }, { logger: silentLogger, clock: systemClock });
  return {
    implementation: { name: "naive host", bus, prefix: PREFIX },
    bus,
    signal: (name) => host.kill(name),
    async stop() {
      await bus.close();
      await ended(host);
      await server.stop();
    },
  };
}

async function ended(host: ChildProcess): Promise<void> {
  if (host.exitCode !== null || host.signalCode !== null) return;
  const exit = once(host, "exit");
  host.kill("SIGKILL");
  await exit;
}
