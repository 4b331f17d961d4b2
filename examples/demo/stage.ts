import { MemoryClient } from "@membus/agent-client";
import { type RunningBus, withBus } from "./with-bus.js";

/** A bus with two connected agents. */
export interface Stage extends RunningBus {
  readonly alice: MemoryClient;
  readonly bob: MemoryClient;
}

/** Runs `play` on a temporary bus. */
export async function withStage(
  natsServer: string,
  interrupted: Promise<never>,
  play: (stage: Stage) => Promise<void>,
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
