import { CHECKS, type Check, createPluginWorld, runToReport } from "@membus/conformance";
import type { MemoryTier } from "@membus/protocol";
import type { Feature, MemoryPlugin } from "@membus/protocol/plugin";
import { it } from "vitest";
import { expectNoneRed } from "../../test/outcome-counts.js";
import { NODE_ARGUMENTS } from "../src/plugins/killed-mutant.js";
import { AgentsPlugin } from "../src/reference/agents-plugin.js";
import { BoundedPlugin } from "../src/reference/bounded-plugin.js";
import { GenerationsPlugin } from "../src/reference/generations-plugin.js";
import { LimitedPlugin } from "../src/reference/limited-plugin.js";
import { LineagePlugin } from "../src/reference/lineage-plugin.js";
import { ListingPlugin } from "../src/reference/listing-plugin.js";
import { OwningPlugin } from "../src/reference/owning-plugin.js";
import { ReferencePlugin } from "../src/reference/reference-plugin.js";
import { SteerablePlugin } from "../src/reference/steerable-plugin.js";
import { createPlugin as createDurablePlugin } from "./durable-module.js";

const DURABLE_MODULE = new URL("./durable-module.ts", import.meta.url).href;
const DEMANDED: readonly Feature[] = ["similarity", "full_text", "ttl", "conditional", "subtree", "queued"];

interface Sound {
  readonly name: string;
  readonly tier: MemoryTier;
  readonly createPlugin: () => MemoryPlugin;
  readonly module?: string;
  /** Checks that another of these plugins, which has the same code for them, makes. */
  readonly leftOut?: (check: Check) => boolean;
}

/** Checks with many entries: `reference`, `listing`, `durable` and `without any of them` pass them with the same code. */
const isVolume = ({ area }: Check): boolean => area === "volume";

/** Also checks that kill a process. It loads the plugin `durable` for each of these plugins, so `durable` passes them. */
const isVolumeOrKill = (check: Check): boolean =>
  isVolume(check) || check.provisions?.includes("kill") === true;

/** Correct plugins that mutants are derived from. */
const SOUND: readonly Sound[] = [
  { name: "reference", tier: "working", createPlugin: () => new ReferencePlugin() },
  { name: "reference", tier: "semantic", createPlugin: () => new ReferencePlugin() },
  { name: "steerable", tier: "working", createPlugin: () => new SteerablePlugin(), leftOut: isVolume },
  { name: "listing", tier: "working", createPlugin: () => new ListingPlugin() },
  { name: "bounded", tier: "working", createPlugin: () => new BoundedPlugin(), leftOut: isVolume },
  {
    name: "agents",
    tier: "episodic",
    createPlugin: () => new AgentsPlugin(),
    module: DURABLE_MODULE,
    leftOut: isVolumeOrKill,
  },
  { name: "owning", tier: "semantic", createPlugin: () => new OwningPlugin(), leftOut: isVolume },
  { name: "durable", tier: "episodic", createPlugin: createDurablePlugin, module: DURABLE_MODULE },
  {
    name: "generations",
    tier: "episodic",
    createPlugin: () => new GenerationsPlugin(),
    module: DURABLE_MODULE,
    leftOut: isVolumeOrKill,
  },
  ...(["episodic", "semantic"] as const).map(
    (tier): Sound => ({
      name: "lineage",
      tier,
      createPlugin: () => new LineagePlugin(),
      module: DURABLE_MODULE,
      leftOut: isVolumeOrKill,
    }),
  ),
  { name: "without any of them", tier: "working", createPlugin: () => new LimitedPlugin(DEMANDED) },
  ...[DEMANDED.slice(0, 3), DEMANDED.slice(3)].map(
    (features): Sound => ({
      name: `without ${features.join(", ")}`,
      tier: "episodic",
      createPlugin: () => new LimitedPlugin(features),
      leftOut: isVolume,
    }),
  ),
];

it.each(SOUND)("the plugin $name keeps everything as the $tier tier", async ({ leftOut, ...sound }) => {
  const world = await createPluginWorld({ ...sound, nodeArguments: NODE_ARGUMENTS });
  const selected = CHECKS.filter((check) => !leftOut?.(check));
  const report = await runToReport(world, { seed: 1, rerun: (id) => id, checkTimeoutMs: 120_000, selected });
  expectNoneRed(report);
});
