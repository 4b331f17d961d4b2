import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalBus } from "@membus/bus";
import {
  figureReranker,
  type HostParts,
  type HostUnderTest,
  ShiftingClock,
  type StartedHost,
  wordEmbedder,
} from "@membus/conformance";
import { createHost, type HostOptions } from "@membus/host";
import { createLruPlugin } from "@membus/plugin-lru";
import {
  type Bus,
  type MemoryPlugin,
  type MemoryTier,
  silentLogger,
  systemClock,
  TIERS,
} from "@membus/protocol";
import type { HostMutant } from "./mutant.js";
import { ReferencePlugin } from "./reference/reference-plugin.js";

/** Longer than the work of other checks holds up the answers to a host that starts: it must hear its own. */
const DISCOVERY_WAIT_MS = 100;

const EVERYTHING = ["read", "write", "forget"] as const;

const SOUND_PLUGINS: Readonly<Record<MemoryTier, () => MemoryPlugin>> = {
  working: () => createLruPlugin(),
  episodic: () => new ReferencePlugin(),
  semantic: () => new ReferencePlugin(),
};

export interface RunningHost {
  readonly implementation: HostUnderTest;
  stop(): Promise<void>;
}

type Defect = Pick<HostMutant, "bus" | "plugins" | "options" | "parts">;

/** The real host on a bus in process, with a mutant's part in place of its own. Its clock can be moved. */
export async function startHost(mutant: Defect = {}): Promise<RunningHost> {
  const clock = new ShiftingClock();
  // A check that moves the host's time must not end what others wait for.
  const bus = createLocalBus({}, { clock: systemClock, logger: silentLogger });
  const folder = await mkdtemp(join(tmpdir(), "membus-host-"));
  let host = await start(bus, mutant, { clock }, { folder: join(folder, "first") });
  let startedCount = 0;
  const implementation = {
    name: "host in process",
    bus,
    tenants: ["default", "other"],
    clock,
    restart: async () => {
      await host.stop();
      host = await start(bus, mutant, { clock }, { folder: join(folder, "first") });
    },
    startHost: (given: HostParts) => {
      const { prefix, tenants, inFlightCountMax, allowed, ...parts } = mutant.parts?.(given) ?? given;
      const options = {
        prefix,
        ...(tenants && { tenants }),
        ...(inFlightCountMax && { inFlightCountMax }),
        ...(allowed && { rules: allowed.map((one) => ({ ...one, allow: EVERYTHING })) }),
      };
      return start(bus, mutant, parts, { ...options, folder: join(folder, `own-${++startedCount}`) });
    },
  };
  const stop = async () => {
    await host.stop();
    await bus.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { implementation, stop };
}

/** A host on the mutant's bus, of the given parts and of its own where none are given. */
async function start(
  bus: Bus,
  mutant: Defect,
  { clock, plugins = newPlugins(mutant), embedder = wordEmbedder }: Omit<HostParts, "prefix">,
  { folder, ...options }: HostOptions & { readonly folder: string },
): Promise<StartedHost> {
  const dataDirectories = Object.fromEntries(TIERS.map((tier) => [tier, join(folder, tier)]));
  const parts = { clock, plugins, embedder, reranker: figureReranker, dataDirectories, logger: silentLogger };
  const dependencies = { bus: mutant.bus?.(bus) ?? bus, ...parts };
  const timing = { discoveryWaitMs: DISCOVERY_WAIT_MS, maintainIntervalMs: 50 };
  const host = createHost(dependencies, { ...timing, ...mutant.options, ...options });
  await host.start();
  return host;
}

function newPlugins(mutant: Defect) {
  const makers = { ...SOUND_PLUGINS, ...mutant.plugins };
  return Object.fromEntries(Object.entries(makers).map(([tier, make]) => [tier, make()]));
}
