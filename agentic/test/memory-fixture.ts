import { type ClientOptions, MemoryClient } from "@membus/agent-client";
import { createLocalBus } from "@membus/bus";
import { createHost } from "@membus/host";
import { createLruPlugin } from "@membus/plugin-lru";
import { hostSubjects, silentLogger, systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { onTestFinished } from "vitest";
import { connectRunning } from "./connect-running.js";

export interface MemoryFixture {
  readonly memory: MemoryClient;
  /** Returns the number of requests of an operation so far. */
  sent(operation: "store" | "retrieve" | "forget"): number;
}

interface OwnHost extends MemoryFixture {
  /** Stops the host. No later request gets a reply. */
  stopHost(): Promise<void>;
}

/** Opens a client of hosts that run already, or of a host on a local bus. It closes with the test. */
export async function openMemory(options: Partial<ClientOptions> = {}): Promise<MemoryFixture> {
  const running = await connectRunning(options);
  if (running === undefined) return startMemory(options);
  const { memory, subjects } = running;
  return { memory, sent: (operation) => countOf(subjects, operation) };
}

/** Opens a client of a real host on a local bus, all tiers in memory. Both close with the test. */
export async function startMemory(
  options: Partial<ClientOptions> = {},
  episodic: MemoryPlugin = createLruPlugin(),
): Promise<OwnHost> {
  const services = { clock: systemClock, logger: silentLogger };
  const bus = createLocalBus({}, services);
  const plugins = { working: createLruPlugin(), episodic, semantic: createLruPlugin() };
  const host = createHost({ bus, plugins, ...services }, { discoveryWaitMs: 10 });
  await host.start();
  const subjects: string[] = [];
  const watched = hostSubjects().map((subject) =>
    bus.subscribe(subject, (message) => void subjects.push(message.subject)),
  );
  const memory = await MemoryClient.connect({ bus, agent: "alice", timeoutMs: 60_000, ...options });
  onTestFinished(async () => {
    await memory.close();
    await host.stop();
    await bus.close();
  });
  const sent = (operation: string) => countOf(subjects, operation);
  const stopHost = async () => {
    await Promise.all([host.stop(), ...watched.map((subscription) => subscription.drain())]);
  };
  return { memory, sent, stopHost };
}

function countOf(subjects: readonly string[], operation: string): number {
  return subjects.filter((subject) => subject.includes(operation)).length;
}
