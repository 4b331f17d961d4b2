import { expect, it } from "vitest";
import { launchHostOf } from "../../cli/src/conformance/through-host.js";
import { createHostWorld, createPluginWorld, runToReport } from "../src/index.js";
import { moduleOf, NODE_ARGUMENTS } from "./implementations/modules.js";
import { createPlugin } from "./implementations/word-map.js";
import { redChecks } from "./outcome-counts.js";

const RUN = { seed: 1, rerun: (id: string) => id, checkTimeoutMs: 120_000 };

/** It declares `full_text` and nothing else: what it cannot do, it is not asked for. */
const WORD_MAP = {
  name: "word-map",
  tier: "working",
  createPlugin,
  module: moduleOf("word-map"),
  nodeArguments: NODE_ARGUMENTS,
} as const;

it("a plugin of a map and word overlap is conformant by itself", async () => {
  const report = await runToReport(await createPluginWorld(WORD_MAP), RUN);
  expect(redChecks(report)).toEqual([]);
  expect(report.conformant).toBe(true);
});

it("a plugin of a map and word overlap is conformant behind a host", async () => {
  const host = await launchHostOf(WORD_MAP);
  try {
    const report = await runToReport(await createHostWorld(host.implementation), RUN);
    expect(redChecks(report)).toEqual([]);
    expect(report.conformant).toBe(true);
  } finally {
    await host.stop();
  }
});
