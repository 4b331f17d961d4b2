import type { MemoryTier } from "@membus/protocol";
import { it } from "vitest";
import { createPluginWorld, runToReport } from "../src/index.js";
import * as lancedb from "./implementations/lancedb.js";
import * as lru from "./implementations/lru.js";
import { moduleOf, NODE_ARGUMENTS } from "./implementations/modules.js";
import { expectConformant } from "./outcome-counts.js";

/** Number of checks that kill at chosen moments, which needs Linux. */
const UNSEEN = process.platform === "linux" ? 0 : 4;

// `readme-example.slow.test.ts` runs lancedb as the episodic tier.
it.each([
  ["lru", "working", lru, { pass: 370, "not-applicable": 58 }],
  ["lancedb", "semantic", lancedb, { pass: 408 - UNSEEN, "not-applicable": 20 + UNSEEN }],
] as const)(
  "%s keeps its profiles as the %s tier, without a host",
  async (name, tier: MemoryTier, { createPlugin }, counts) => {
    const implementation = {
      name,
      tier,
      createPlugin,
      module: moduleOf(name),
      nodeArguments: NODE_ARGUMENTS,
    };
    const world = await createPluginWorld(implementation);
    const report = await runToReport(world, { seed: 1, rerun: (id) => id, checkTimeoutMs: 120_000 });
    expectConformant(report, counts);
  },
);
