import { createLocalBus } from "@membus/bus";
import { createHost } from "@membus/host";
import { createLruPlugin } from "@membus/plugin-lru";
import type { MemoryPlugin, MemoryTier } from "@membus/protocol";
import type { HostSubject } from "../src/index.js";
import { ShiftingClock } from "../src/shifting-clock.js";
import { silentLogger } from "../src/silent-logger.js";
import { wordEmbedder } from "../src/word-embedder.js";
import type { HostMutant } from "./mutant.js";
import { ReferencePlugin } from "./reference/reference-plugin.js";

const SOUND_PLUGINS: Readonly<Record<MemoryTier, () => MemoryPlugin>> = {
  working: () => createLruPlugin(),
  episodic: () => new ReferencePlugin(),
  semantic: () => new ReferencePlugin(),
};

export interface RunningHost {
  readonly subject: HostSubject;
  stop(): Promise<void>;
}

/** The real host on a bus in process, with a mutant's part in place of its own. Its clock can be moved. */
export async function startHost(
  mutant: Pick<HostMutant, "bus" | "plugins" | "options"> = {},
): Promise<RunningHost> {
  const clock = new ShiftingClock();
  const bus = createLocalBus({}, { clock, logger: silentLogger });
  const makers = { ...SOUND_PLUGINS, ...mutant.plugins };
  const plugins = Object.fromEntries(Object.entries(makers).map(([tier, make]) => [tier, make()]));
  const host = createHost(
    { bus: mutant.bus?.(bus) ?? bus, clock, plugins, embedder: wordEmbedder, logger: silentLogger },
    { discoveryWaitMs: 10, maintainIntervalMs: 50, ...mutant.options },
  );
  await host.start();
  const subject = { name: "host in process", bus, tenants: ["default", "other"], clock };
  const stop = async () => {
    await host.stop();
    await bus.close();
  };
  return { subject, stop };
}
