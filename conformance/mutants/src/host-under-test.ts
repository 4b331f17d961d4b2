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
import { type MemoryTier, silentLogger, systemClock, TIERS } from "@membus/protocol";
import type { Bus, MemoryPlugin } from "@membus/protocol/plugin";
import type { HostMutant } from "./mutant.js";
import { ReferencePlugin } from "./reference/reference-plugin.js";

/**
 * Longer than the delay that other checks cause for discovery answers, because a starting host must receive
 * its own.
 */
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

/** Starts the real host on an in-process bus with the defect of a mutant. Its clock can be moved. */
export async function startHost(mutant: Defect = {}): Promise<RunningHost> {
  const clock = new ShiftingClock();
  // The bus has the system clock, so that a check that moves the host's clock does not end other waits.
  const bus = createLocalBus({}, { clock: systemClock, logger: silentLogger });
  const folder = await mkdtemp(join(tmpdir(), "membus-host-"));
  let host = await start(bus, mutant, { clock }, { folder: join(folder, "first") });
  let startedCount = 0;
  const startAgain = async () => {
    await host.stop();
    host = await start(bus, mutant, { clock }, { folder: join(folder, "first") });
  };
  const implementation = {
    name: "host in process",
    bus,
    tenants: ["default", "other"],
    clock,
    restart: startAgain,
    // The next host has the same data. For a client it does not matter that it runs in the same process.
    move: startAgain,
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

/** Starts a host on the mutant's bus from the given parts. Missing parts have defaults. */
async function start(
  bus: Bus,
  mutant: Defect,
  { clock, plugins = newPlugins(mutant), embedder = wordEmbedder, ...more }: Omit<HostParts, "prefix">,
  { folder, ...options }: HostOptions & { readonly folder: string },
): Promise<StartedHost> {
  const dataDirectories = Object.fromEntries(TIERS.map((tier) => [tier, join(folder, tier)]));
  const services = { clock, embedder, reranker: figureReranker, logger: silentLogger };
  const dependencies = { bus: mutant.bus?.(bus) ?? bus, plugins, ...services, dataDirectories, ...more };
  const timing = { discoveryWaitMs: DISCOVERY_WAIT_MS, maintainIntervalMs: 50 };
  const host = createHost(dependencies, { ...timing, ...mutant.options, ...options });
  await host.start();
  return host;
}

function newPlugins(mutant: Defect) {
  const makers = { ...SOUND_PLUGINS, ...mutant.plugins };
  return Object.fromEntries(Object.entries(makers).map(([tier, make]) => [tier, make()]));
}
