import { connectNatsBus } from "@membus/bus";
import { type MemoryTier, silentLogger, systemClock } from "@membus/protocol";
import { beforeAll, describe, expect, it } from "vitest";
import { launchPluginHost } from "../../cli/src/conformance/through-host.js";
import { RunningHost } from "../../cli/test/running-host.js";
import { CHECKS, createHostWorld, runToReport, type SuiteReport } from "../src/index.js";
import * as lancedb from "./implementations/lancedb.js";
import * as lru from "./implementations/lru.js";
import { moduleOf, NODE_ARGUMENTS } from "./implementations/modules.js";
import { expectConformant, expectNoneRed, outcomeCounts } from "./outcome-counts.js";

/** Long enough for a machine that does other things too. */
const RUN = { seed: 1, rerun: (id: string) => id, checkTimeoutMs: 120_000 };

/** Runs all checks on the three tiers of `membus up`, which is killed and started again, as on any host. */
async function reportOfUp(): Promise<SuiteReport> {
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
    return await runToReport(await createHostWorld(implementation), RUN);
  } finally {
    await bus.close();
    await up.stop();
  }
}

describe("on a real nats-server", () => {
  let ofUp: SuiteReport;
  // Takes more than a minute, because the suite restarts the processes of `membus up` many times.
  beforeAll(async () => {
    ofUp = await reportOfUp();
  });

  it("membus up keeps its profiles", () => {
    expectConformant(ofUp, { pass: 553, "not-applicable": 123 });
  });

  // `membus up` has the same plugins, and passes every other check on each of its tiers. Each of these hosts runs the
  // checks that need a restart, because it restarts in another way.
  it.concurrent.each([
    ["lru", "working", lru, { pass: 71, "not-applicable": 62 }],
    ["lancedb", "semantic", lancedb, { pass: 74, "not-applicable": 59 }],
  ] as const)(
    "%s as the %s tier of a host passes the checks that do not apply to membus up",
    async (name, tier: MemoryTier, { createPlugin }, counts) => {
      const passed = new Set(ofUp.checks.filter(({ outcome }) => outcome === "pass").map(({ id }) => id));
      const host = await launchPluginHost({
        name,
        tier,
        createPlugin,
        module: moduleOf(name),
        nodeArguments: NODE_ARGUMENTS,
      });
      try {
        const selected = CHECKS.filter(
          ({ id, provisions }) => !passed.has(id) || provisions?.includes("restart"),
        );
        const world = await createHostWorld(host.implementation);
        const report = await runToReport(world, { ...RUN, selected });
        expectNoneRed(report);
        expect(outcomeCounts(report)).toEqual(counts);
      } finally {
        await host.stop();
      }
    },
  );
});
