import { createLocalBus, type LocalBus, type LocalBusOptions } from "@membus/bus";
import type { Message } from "@membus/protocol";
import { onTestFinished } from "vitest";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { FakeClock } from "../../host/test/fake-clock.js";
import { type ClientOptions, MemoryClient } from "../src/index.js";
import { type Answer, ScriptedHost, storeAll } from "./scripted-host.js";

interface FixtureOptions {
  readonly client?: Partial<ClientOptions>;
  readonly bus?: LocalBusOptions;
  /** @default stores everything */
  readonly answer?: (message: Message, n: number) => Answer;
}

export interface ClientFixture {
  readonly clock: FakeClock;
  readonly logger: RecordingLogger;
  readonly bus: LocalBus;
  readonly host: ScriptedHost;
  readonly client: MemoryClient;
}

/** Opens Alice's client and a scripted host on a local bus, with a manual clock. */
export async function openFixture(options: FixtureOptions = {}): Promise<ClientFixture> {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const bus = createLocalBus(options.bus ?? {}, { clock, logger });
  onTestFinished(() => bus.close());
  const host = new ScriptedHost(bus, options.answer ?? storeAll);
  host.listen();
  const client = await MemoryClient.connect({ bus, agent: "alice", ...options.client }, { clock, logger });
  return { clock, logger, bus, host, client };
}
