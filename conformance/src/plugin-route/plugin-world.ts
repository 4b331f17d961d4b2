import type { Embedder, FurtherSuite, MemoryPlugin } from "@membus/protocol/plugin";
import type { Provision } from "../catalogue/check.js";
import type { PluginContext } from "../context.js";
import { ShiftingClock } from "../fixtures/shifting-clock.js";
import { wordEmbedder } from "../fixtures/word-embedder.js";
import { replayCall } from "../replay-call.js";
import type { TracedStep } from "../run/traced-step.js";
import type { OpenedWorld, TierFacts, World, WorldRequest } from "../world.js";
import { fittingTier } from "./fitting-tier.js";
import { furtherSuitesOf } from "./further-suites.js";
import { KilledProcesses } from "./killed-processes.js";
import { OpenedPlugin } from "./opened-plugin.js";
import { featuresOf, makeSurroundings, openPlugin, removeSurroundings } from "./plugin-instance.js";
import type { PluginUnderTest } from "./plugin-under-test.js";
import { CAN_STOP } from "./stopped-process.js";

/** A plugin without a host. Every check gets a new instance on an empty directory. */
class PluginWorld implements World {
  readonly route = "plugin";
  readonly concurrency = 1;
  readonly name: string;
  readonly tiers: readonly [TierFacts];
  readonly provisions: ReadonlySet<Provision>;
  readonly furtherSuites: readonly FurtherSuite[];
  readonly #implementation: PluginUnderTest;
  readonly #embedder: Embedder | null;
  readonly #killed: KilledProcesses;

  constructor(implementation: PluginUnderTest, facts: TierFacts, furtherSuites: readonly FurtherSuite[]) {
    this.name = implementation.name;
    this.furtherSuites = furtherSuites;
    this.tiers = [facts];
    this.provisions = new Set<Provision>([
      "second_tenant",
      ...(implementation.module ? ["kill" as const] : []),
      ...(CAN_STOP ? ["stop" as const] : []),
    ]);
    this.#implementation = implementation;
    this.#embedder = embedderOf(implementation);
    this.#killed = new KilledProcesses(implementation, facts.tier, this.#embedder);
  }

  async open(request: WorldRequest): Promise<OpenedWorld> {
    const clock = new ShiftingClock();
    const surroundings = await makeSurroundings(request.tier, clock, this.#embedder);
    const opened = new OpenedPlugin(this.#implementation, request, surroundings, clock, this.#killed);
    try {
      await opened.open();
    } catch (error) {
      await opened.close();
      throw error;
    }
    return { context: opened satisfies PluginContext, close: () => opened.close() };
  }

  replayScript(steps: readonly TracedStep[]): string {
    const { name, module = "./the-plugin.js" } = this.#implementation;
    const [{ tier }] = this.tiers;
    const implementation = `{ name: ${JSON.stringify(name)}, tier: ${JSON.stringify(tier)}, createPlugin }`;
    return [
      'import { replayOnPlugin } from "@membus/conformance";',
      `import { createPlugin } from ${JSON.stringify(module)};`,
      replayCall("replayOnPlugin", implementation, steps),
    ].join("\n");
  }

  async close(): Promise<void> {}
}

/**
 * Opens a plugin once to read its features, which may depend on the services of its host.
 * @throws {ExpectationError} if its manifest violates the contract.
 */
export async function createPluginWorld(implementation: PluginUnderTest): Promise<World> {
  const tier = await fittingTier(implementation);
  const surroundings = await makeSurroundings(tier, new ShiftingClock(), embedderOf(implementation));
  let plugin: MemoryPlugin | undefined;
  try {
    plugin = await openPlugin(implementation, surroundings.services);
    const features = featuresOf(plugin);
    const { name, version } = plugin.manifest;
    const facts = { tier, plugin: `${name} ${version}`, features };
    return new PluginWorld(implementation, facts, furtherSuitesOf(plugin));
  } finally {
    await plugin?.close?.();
    await removeSurroundings(surroundings);
  }
}

export function embedderOf({ embedder }: PluginUnderTest): Embedder | null {
  return embedder === undefined ? wordEmbedder : embedder;
}
