import { CHECKS, createPluginWorld, runSuite } from "@membus/conformance";
import type { Scope } from "@membus/protocol";
import type { MemoryPlugin, PluginStoreRequest, PluginStoreResult } from "@membus/protocol/plugin";
import { expect, it } from "vitest";
import { DurablePlugin } from "../src/reference/durable-plugin.js";

/** A plugin with files that calls `meanwhile` after its first store. */
class InterruptedPlugin extends DurablePlugin {
  #meanwhile: (() => Promise<void>) | undefined;

  constructor(meanwhile: () => Promise<void>) {
    super();
    this.#meanwhile = meanwhile;
  }

  override async onStore(scope: Scope, request: PluginStoreRequest): Promise<PluginStoreResult> {
    const result = await super.onStore(scope, request);
    const meanwhile = this.#meanwhile;
    this.#meanwhile = undefined;
    await meanwhile?.();
    return result;
  }
}

async function outcomesOf(createPlugin: () => MemoryPlugin): Promise<string[]> {
  const world = await createPluginWorld({ name: "durable", tier: "episodic", createPlugin });
  const checks = CHECKS.filter(({ id }) => id === "lifecycle/files-stay-in-the-directory");
  return (await runSuite(checks, world, { seed: 1 })).map(({ outcome }) => outcome);
}

it("two runs with the same seed do not find each other's files", async () => {
  const outcomes: string[] = [];
  const second = async () => void outcomes.push(...(await outcomesOf(() => new DurablePlugin())));
  outcomes.push(...(await outcomesOf(() => new InterruptedPlugin(second))));
  expect(outcomes).toEqual(["pass", "pass"]);
});
