import type { Embedder, MemoryPlugin } from "@membus/protocol";
import type { Provision } from "../check.js";
import type { PluginContext } from "../context.js";
import { replayCall } from "../replay-call.js";
import { ShiftingClock } from "../shifting-clock.js";
import type { TracedStep } from "../trace.js";
import { wordEmbedder } from "../word-embedder.js";
import type { OpenedWorld, TierFacts, World, WorldRequest } from "../world.js";
import { fittingTier } from "./fitting-tier.js";
import { OpenedPlugin } from "./opened-plugin.js";
import { featuresOf, makeSurroundings, openPlugin, removeSurroundings } from "./plugin-instance.js";
import type { PluginSubject } from "./plugin-subject.js";

/** A plugin without a host: a new instance on an empty directory for every check. */
class PluginWorld implements World {
  readonly route = "plugin";
  readonly concurrency = 1;
  readonly name: string;
  readonly tiers: readonly [TierFacts];
  readonly provisions: ReadonlySet<Provision>;
  readonly #subject: PluginSubject;
  readonly #embedder: Embedder | null;

  constructor(subject: PluginSubject, facts: TierFacts) {
    this.name = subject.name;
    this.tiers = [facts];
    this.provisions = new Set<Provision>(["second_tenant", ...(subject.module ? ["kill" as const] : [])]);
    this.#subject = subject;
    this.#embedder = embedderOf(subject);
  }

  async open(request: WorldRequest): Promise<OpenedWorld> {
    const clock = new ShiftingClock();
    const surroundings = await makeSurroundings(request.tier, clock, this.#embedder);
    const opened = new OpenedPlugin(this.#subject, request, surroundings, clock);
    try {
      await opened.open();
    } catch (error) {
      await opened.close();
      throw error;
    }
    return { context: opened satisfies PluginContext, close: () => opened.close() };
  }

  replayScript(steps: readonly TracedStep[]): string {
    const { name, module = "./the-plugin.js" } = this.#subject;
    const [{ tier }] = this.tiers;
    const subject = `{ name: ${JSON.stringify(name)}, tier: ${JSON.stringify(tier)}, createPlugin }`;
    return [
      'import { replayOnPlugin } from "@membus/conformance";',
      `import { createPlugin } from ${JSON.stringify(module)};`,
      replayCall("replayOnPlugin", subject, steps),
    ].join("\n");
  }

  async close(): Promise<void> {}
}

/**
 * Opens a plugin once to learn what it declares, which may depend on what its host offers.
 * @throws {ExpectationError} when its manifest has not the form of the contract.
 */
export async function createPluginWorld(subject: PluginSubject): Promise<World> {
  const tier = await fittingTier(subject);
  const surroundings = await makeSurroundings(tier, new ShiftingClock(), embedderOf(subject));
  let plugin: MemoryPlugin | undefined;
  try {
    plugin = await openPlugin(subject, surroundings.services);
    const features = featuresOf(plugin);
    const { name, version } = plugin.manifest;
    return new PluginWorld(subject, { tier, plugin: `${name} ${version}`, features });
  } finally {
    await plugin?.close?.();
    await removeSurroundings(surroundings);
  }
}

export function embedderOf({ embedder }: PluginSubject): Embedder | null {
  return embedder === undefined ? wordEmbedder : embedder;
}
