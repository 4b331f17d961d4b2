import { type ClientOptions, MemoryClient } from "@membus/agent-client";
import { createHost } from "@membus/host";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { createLruPlugin } from "@membus/plugin-lru";
import { systemClock } from "@membus/protocol";
import { afterAll } from "vitest";
import { NatsFixture } from "../../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";
import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";

const fixture = new NatsFixture();
afterAll(() => fixture.close());

export interface RealBus {
  /** A connection of its own; closed with the test file. */
  client(options: ClientOptions): Promise<MemoryClient>;
  /** From now on nobody answers. */
  stopHost(): Promise<void>;
}

/** A nats-server and a host on it, with the durable tier of membus, for all of a test file. */
export async function startRealBus(): Promise<RealBus> {
  const { url } = await fixture.launch({ binary: NATS_SERVER });
  const { bus, logger } = await fixture.connect({ servers: url });
  const plugins = { working: createLruPlugin(), episodic: createLanceDbPlugin() };
  const dataDirectories = { episodic: await fixture.folder() };
  const host = createHost(
    { bus, logger, clock: systemClock, plugins, dataDirectories },
    { discoveryWaitMs: 10 },
  );
  await host.start();
  fixture.onClose(() => host.stop());
  const client = async (options: ClientOptions) => {
    const memory = await MemoryClient.connect({ servers: url, ...options });
    fixture.onClose(() => memory.close());
    return memory;
  };
  return { client, stopHost: () => host.stop() };
}

/** Gone with the test file. */
export function temporaryFolder(): Promise<string> {
  return fixture.folder();
}

/** Chance of which the seed is printed; MEMBUS_SEED sets it. */
export function seededChance(): Chance {
  const seed = Number(process.env.MEMBUS_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}`);
  return new Chance(seed);
}

/** What `work` comes to, or the words of what it rejects with. */
export async function answerOrWords(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => `${(error as Error).name}: ${(error as Error).message}`);
}
