import { connectNatsBus } from "@membus/bus";
import { type MemoryTier, silentLogger, systemClock } from "@membus/protocol";
import { it } from "vitest";
import { launchPluginHost } from "../../cli/src/conformance/through-host.js";
import { RunningHost } from "../../cli/test/running-host.js";
import { createHostWorld, runToReport } from "../src/index.js";
import * as lancedb from "./implementations/lancedb.js";
import * as lru from "./implementations/lru.js";
import { moduleOf, NODE_ARGUMENTS } from "./implementations/modules.js";
import { expectConformant } from "./outcome-counts.js";

/** Long enough for a machine that does other things too. */
const RUN = { seed: 1, rerun: (id: string) => id, checkTimeoutMs: 120_000 };

// The suites mostly wait, so they run at the same time.
it.concurrent.each([
  ["lru", "working", lru, { pass: 592, "not-applicable": 70 }],
  ["lancedb", "semantic", lancedb, { pass: 586, "not-applicable": 76 }],
] as const)(
  "%s keeps its profiles as the %s tier of a host on a real nats-server",
  async (name, tier: MemoryTier, { createPlugin }, counts) => {
    const host = await launchPluginHost({
      name,
      tier,
      createPlugin,
      module: moduleOf(name),
      nodeArguments: NODE_ARGUMENTS,
    });
    try {
      const report = await runToReport(await createHostWorld(host.implementation), RUN);
      expectConformant(report, counts);
    } finally {
      await host.stop();
    }
  },
);

// Takes more than a minute, because the suite restarts the processes of `membus up` many times.
it.concurrent("membus up keeps its profiles, killed and started again, as any host would be asked", async () => {
  const up = new RunningHost();
  await up.start();
  const bus = await connectNatsBus({ servers: up.url }, { logger: silentLogger, clock: systemClock });
  try {
    const implementation = {
      name: "membus up",
      bus,
      tenants: ["default", "other"],
      restart: () => up.restart(),
    };
    const report = await runToReport(await createHostWorld(implementation), RUN);
    expectConformant(report, { pass: 548, "not-applicable": 114 });
  } finally {
    await bus.close();
    await up.stop();
  }
});
