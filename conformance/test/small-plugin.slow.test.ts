import { startHost } from "@membus/mutants";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { expect, it } from "vitest";
import { launchPluginHost } from "../../cli/src/conformance/through-host.js";
import { CHECKS, createHostWorld, createPluginWorld, runSuite, runToReport } from "../src/index.js";
import { moduleOf, NODE_ARGUMENTS } from "./implementations/modules.js";
import { createPlugin } from "./implementations/word-map.js";
import { expectNoneRed } from "./outcome-counts.js";

const RUN = { seed: 1, rerun: (id: string) => id, checkTimeoutMs: 120_000 };

/** A plugin that declares only `full_text`, so that no other feature is requested. */
const WORD_MAP = {
  name: "word-map",
  tier: "working",
  createPlugin,
  module: moduleOf("word-map"),
  nodeArguments: NODE_ARGUMENTS,
} as const;

it("a plugin of a map and word overlap is conformant without a host", async () => {
  const report = await runToReport(await createPluginWorld(WORD_MAP), RUN);
  expectNoneRed(report);
  expect(report.conformant).toBe(true);
});

/** A plugin of a future version with an unknown feature. */
function createLaterPlugin(): MemoryPlugin {
  return new Proxy(createPlugin(), {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      const { manifest } = target;
      if (name === "manifest") return { ...manifest, features: { ...manifest.features, writes_poems: true } };
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

it("a plugin that declares a feature of a later version is conformant without a host", async () => {
  const report = await runToReport(
    await createPluginWorld({ ...WORD_MAP, createPlugin: createLaterPlugin }),
    RUN,
  );
  expectNoneRed(report);
});

it("a host with such a plugin passes the discovery checks", async () => {
  const host = await startHost({ plugins: { working: createLaterPlugin } });
  try {
    const world = await createHostWorld({ ...host.implementation, tiers: ["working"] });
    const checks = CHECKS.filter(({ area }) => area === "discovery" || area === "features");
    const results = await runSuite(checks, world, RUN);
    expect(results.filter(({ outcome }) => outcome === "fail").map(({ id }) => id)).toEqual([]);
  } finally {
    await host.stop();
  }
});

it("a plugin of a map and word overlap is conformant through a host", async () => {
  const host = await launchPluginHost(WORD_MAP);
  try {
    const report = await runToReport(await createHostWorld(host.implementation), RUN);
    expectNoneRed(report);
    expect(report.conformant).toBe(true);
  } finally {
    await host.stop();
  }
});
