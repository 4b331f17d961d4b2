import { MemoryClient } from "@membus/agent-client";
import { createLocalBus, type LocalBus } from "@membus/bus";
import { createHost } from "@membus/host";
import { createLruPlugin } from "@membus/plugin-lru";
import { type Clock, systemClock } from "@membus/protocol";
import { onTestFinished } from "vitest";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { connectRunning } from "./connect-running.js";

/** Returns the bus of a host in this process, with all tiers in memory. */
export async function startHost(clock: Clock = systemClock): Promise<LocalBus> {
  const services = { clock, logger: new RecordingLogger() };
  const bus = createLocalBus({}, services);
  onTestFinished(() => bus.close());
  const plugins = { working: createLruPlugin(), episodic: createLruPlugin(), semantic: createLruPlugin() };
  const host = createHost({ bus, plugins, ...services }, { discoveryWaitMs: 10 });
  await host.start();
  onTestFinished(() => host.stop());
  return bus;
}

/** Returns Alice's client of hosts that run already, or of a new host, also if it needs a clock. Closes with the test. */
export async function openAgent(clock?: Clock): Promise<MemoryClient> {
  const running = clock === undefined ? await connectRunning() : undefined;
  if (running !== undefined) return running.memory;
  const client = await MemoryClient.connect({
    bus: await startHost(clock),
    agent: "alice",
    timeoutMs: 60_000,
  });
  onTestFinished(() => client.close());
  return client;
}
