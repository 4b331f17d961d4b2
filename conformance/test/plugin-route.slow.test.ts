import { expect, it } from "vitest";
import { CHECKS, createPluginWorld, runToReport } from "../src/index.js";
import { createPlugin } from "./implementations/lancedb.js";
import { moduleOf, NODE_ARGUMENTS } from "./implementations/modules.js";
import { expectNoneRed, outcomeCounts } from "./outcome-counts.js";

/** Number of checks that kill at chosen moments, which needs Linux. */
const UNSEEN = process.platform === "linux" ? 0 : 4;

/**
 * Checks that no other run makes of lancedb as the semantic tier. `host-route.slow.test.ts` makes the others, through a
 * host. `readme-example.slow.test.ts` makes all of them of lancedb as the episodic tier, `cli-plugin.slow.test.ts` of lru.
 */
const SELECTED = CHECKS.filter(({ routes }) => !routes.includes("host"));

it("lancedb as the semantic tier, without a host, passes the checks of plugins only", async () => {
  const world = await createPluginWorld({
    name: "lancedb",
    tier: "semantic",
    createPlugin,
    module: moduleOf("lancedb"),
    nodeArguments: NODE_ARGUMENTS,
  });
  const options = { seed: 1, rerun: (id: string) => id, checkTimeoutMs: 120_000, selected: SELECTED };
  const report = await runToReport(world, options);
  expectNoneRed(report);
  expect(outcomeCounts(report)).toEqual({ pass: 99 - UNSEEN, "not-applicable": 11 + UNSEEN });
});
