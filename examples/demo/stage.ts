import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { HostProcess } from "./host-process.js";

/** What the story is played on: a nats-server and a host in processes of their own, and two agents, each connected. */
export interface Stage {
  readonly server: NatsServer;
  readonly host: HostProcess;
  readonly alice: MemoryClient;
  readonly bob: MemoryClient;
}

/** Plays in a temporary folder, and ends everything it started, however the play ends. */
export async function withStage(
  natsServer: string,
  interrupted: Promise<never>,
  play: (stage: Stage) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "membus-demo-"));
  const endings: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true, force: true })];
  try {
    const server = await launchNatsServer({ binary: natsServer });
    endings.push(() => server.stop());
    const host = new HostProcess(server.url, directory);
    endings.push(() => host.end("SIGTERM"));
    await Promise.race([host.start(), interrupted]);
    const connect = async (agent: string) => {
      // Attempts are short, so that what was in flight when the host died is soon sent again.
      const client = await MemoryClient.connect({ servers: server.url, agent, timeoutMs: 1_000 });
      endings.push(() => client.close());
      return client;
    };
    const stage = { server, host, alice: await connect("alice"), bob: await connect("bob") };
    await Promise.race([play(stage), interrupted, host.ended]);
  } finally {
    for (const end of endings.reverse()) await end();
  }
}
