import { MemoryClient } from "@membus/agent-client";
import type { HostProcess } from "./host-process.js";
import { type RunningBus, withBus } from "./with-bus.js";

/** Two connected agents, and their host, which a scene kills. */
export interface Stage {
  readonly host: Pick<HostProcess, "start" | "end">;
  readonly alice: MemoryClient;
  readonly bob: MemoryClient;
}

/** Runs `play` on a temporary bus. */
export async function withStage(
  natsServer: string,
  interrupted: Promise<never>,
  play: (stage: Stage & RunningBus) => Promise<void>,
): Promise<void> {
  await withBus(natsServer, interrupted, async (bus) => {
    const connect = async (agent: string) => {
      // A short timeout, so that requests in flight during the kill are retried soon.
      const client = await MemoryClient.connect({ servers: bus.server.url, agent, timeoutMs: 1_000 });
      bus.onEnd(() => client.close());
      return client;
    };
    await play({ ...bus, alice: await connect("alice"), bob: await connect("bob") });
  });
}
