import { type ClientOptions, MemoryClient } from "@membus/agent-client";
import { connectNatsBus } from "@membus/bus";
import { silentLogger, systemClock } from "@membus/protocol";
import { onTestFinished } from "vitest";
import { runningHosts } from "../../bus/test/running-hosts.js";

/** Requests that a lost owner has received get no reply, and are sent again. */
const PATIENCE = { timeoutMs: 5_000, retryTimeoutMs: 120_000 };

interface RunningClient {
  readonly memory: MemoryClient;
  /** Subjects of its requests so far. */
  readonly subjects: readonly string[];
}

/** Opens Alice's client of a new tenant of the hosts that run already. It closes with the test. Undefined if none run. */
export async function connectRunning(
  options: Partial<ClientOptions> = {},
): Promise<RunningClient | undefined> {
  const running = runningHosts();
  if (running === undefined) return undefined;
  const { servers, tenant } = running;
  const bus = await connectNatsBus({ servers }, { logger: silentLogger, clock: systemClock });
  const subjects: string[] = [];
  const request = bus.request.bind(bus);
  bus.request = (subject, payload, limits) => {
    subjects.push(subject);
    return request(subject, payload, limits);
  };
  const memory = await MemoryClient.connect({ bus, tenant, agent: "alice", ...PATIENCE, ...options });
  onTestFinished(async () => {
    await memory.close();
    await bus.close();
  });
  return { memory, subjects };
}
