import { MemoryClient } from "@membus/agent-client";
import { type RunningBus, withBus } from "./with-bus.js";

/** What the story is played on: a bus, and two agents, each connected. */
export interface Stage extends RunningBus {
  readonly alice: MemoryClient;
  readonly bob: MemoryClient;
}

/** Plays on a bus of its own, which ends with the play. */
export async function withStage(
  natsServer: string,
  interrupted: Promise<never>,
  play: (stage: Stage) => Promise<void>,
): Promise<void> {
  await withBus(natsServer, interrupted, async (bus) => {
    const connect = async (agent: string) => {
      // Attempts are short, so that what was in flight when the host died is soon sent again.
      const client = await MemoryClient.connect({ servers: bus.server.url, agent, timeoutMs: 1_000 });
      bus.onEnd(() => client.close());
      return client;
    };
    await play({ ...bus, alice: await connect("alice"), bob: await connect("bob") });
  });
}
