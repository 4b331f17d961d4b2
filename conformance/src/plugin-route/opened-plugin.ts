import { type Scope, scopeOf, systemClock } from "@membus/protocol";
import type { Embedder, MemoryPlugin, PluginServices } from "@membus/protocol/plugin";
import type { Acknowledged, EmbedderFacts, Features, PluginContext } from "../context.js";
import { type Expect, ExpectationError } from "../expect.js";
import { CheckAgents } from "../fixtures/check-agents.js";
import { Random } from "../fixtures/random.js";
import type { ShiftingClock } from "../fixtures/shifting-clock.js";
import type { AgentOptions, EntryInput, MemoryAgent } from "../memory-agent.js";
import { thrownText } from "../stack-frames.js";
import type { Trace } from "../trace.js";
import type { WorldRequest } from "../world.js";
import { ImagedDirectory } from "./directory-image.js";
import type { KilledProcesses } from "./killed-processes.js";
import { PLUGIN_NAMES, PLUGIN_NAMESPACE } from "./names.js";
import { PluginAgent } from "./plugin-agent.js";
import {
  featuresOf,
  makeSurroundings,
  openPlugin,
  type PluginSurroundings,
  type ReportedChange,
  removeSurroundings,
} from "./plugin-instance.js";
import type { PluginUnderTest } from "./plugin-under-test.js";
import type { Life } from "./watched-life.js";

interface OtherInstance {
  readonly plugin: MemoryPlugin;
  readonly surroundings: PluginSurroundings;
  isOpen: boolean;
}

/** A plugin during one check. Methods are bound, so that checks can destructure them. */
export class OpenedPlugin implements PluginContext {
  readonly tier: WorldRequest["tier"];
  readonly expect: Expect;
  readonly trace: Trace;
  readonly random: Random;
  readonly #implementation: PluginUnderTest;
  #surroundings: PluginSurroundings;
  readonly #clock: ShiftingClock;
  readonly #killed: KilledProcesses;
  readonly #anyForm: boolean;
  readonly #agents: CheckAgents;
  readonly #directory: ImagedDirectory;
  readonly #others: OtherInstance[] = [];
  #plugin: MemoryPlugin | undefined;

  constructor(
    implementation: PluginUnderTest,
    request: WorldRequest,
    surroundings: PluginSurroundings,
    clock: ShiftingClock,
    killed: KilledProcesses,
  ) {
    const { tier, seed, expect, trace, anyForm = false } = request;
    this.#anyForm = anyForm;
    this.tier = tier;
    this.expect = expect;
    this.trace = trace;
    this.random = new Random(seed);
    this.#implementation = implementation;
    this.#surroundings = surroundings;
    this.#directory = new ImagedDirectory(surroundings.directory);
    this.#clock = clock;
    this.#killed = killed;
    this.#agents = this.#agentsOf(() => this.plugin);
  }

  get plugin(): MemoryPlugin {
    if (this.#plugin === undefined) throw new TypeError("the plugin is closed");
    return this.#plugin;
  }

  get features(): Features {
    return featuresOf(this.plugin);
  }

  get services(): PluginServices {
    return this.#surroundings.services;
  }

  get embedder(): EmbedderFacts | undefined {
    return this.services.embedder;
  }

  get changes(): readonly ReportedChange[] {
    return this.#surroundings.changes;
  }

  get caller(): MemoryAgent {
    return this.#agents.get({});
  }

  readonly agent = (options: AgentOptions): MemoryAgent => {
    return this.#agents.get(options);
  };

  readonly entry = (fields?: Partial<EntryInput>): EntryInput => {
    return this.#agents.entry(fields);
  };

  readonly scope = (options: AgentOptions = {}): Scope => {
    const { caller, namespace } = this.#agents.identity(options);
    return scopeOf(this.tier, caller, namespace);
  };

  readonly now = (): number => {
    return this.#clock.now();
  };

  readonly passTime = async (seconds: number): Promise<void> => {
    this.#clock.advance(seconds);
  };

  readonly holdTime = (at: number): void => {
    this.#clock.hold(at);
  };

  async open(): Promise<void> {
    this.#plugin = await openPlugin(this.#implementation, this.services);
  }

  readonly agentOf = (plugin: MemoryPlugin, options: AgentOptions = {}): MemoryAgent => {
    return this.#agentsOf(() => plugin).get(options);
  };

  readonly maintain = async (): Promise<void> => {
    await demandIt("maintenance", async () => this.plugin.maintain?.());
  };

  readonly reopen = async (embedder?: Embedder): Promise<MemoryPlugin> => {
    await demandIt("closing the plugin", () => this.#closePlugin());
    const { services } = this.#surroundings;
    if (embedder !== undefined)
      this.#surroundings = { ...this.#surroundings, services: { ...services, embedder } };
    await demandIt("opening the plugin again on its directory", () => this.open());
    return this.plugin;
  };

  readonly another: PluginContext["another"] = async (options) => {
    const { sameDirectory, open = true, reranker } = options;
    const embedder = options.embedder ?? this.services.embedder ?? null;
    const surroundings = sameDirectory
      ? this.#surroundings
      : await makeSurroundings(this.tier, this.#clock, embedder, reranker);
    const plugin = await this.#implementation.createPlugin();
    const other = { plugin, surroundings, isOpen: false };
    this.#others.push(other);
    if (!open) return plugin;
    const opening = async () => plugin.open?.(surroundings.services);
    await (sameDirectory ? opening() : demandIt("opening another instance", opening));
    other.isOpen = true;
    return plugin;
  };

  readonly reopenEarlier = async (seconds: number): Promise<void> => {
    await demandIt("closing the plugin", () => this.#closePlugin());
    this.#clock.set(this.#clock.offsetSeconds - seconds);
    await demandIt("opening the plugin on its directory, with the clock set back", () => this.open());
  };

  readonly killWhileStoring = async (): Promise<Acknowledged> => {
    const killed = await this.#killed.whileStoring();
    await this.resume(killed, "that was killed during a store");
    return killed.acknowledged;
  };

  readonly life = (): Promise<Life> => {
    return this.#killed.life();
  };

  readonly resume: PluginContext["resume"] = async ({ image, at }, which) => {
    await demandIt("closing the plugin", () => this.#closePlugin());
    this.#directory.restore(image);
    this.#clock.set(at - systemClock.now());
    await demandIt(`opening the plugin on the directory of a process ${which}`, () => this.open());
  };

  async close(): Promise<void> {
    await this.#closePlugin();
    for (const { plugin, surroundings, isOpen } of this.#others) {
      if (isOpen) await plugin.close?.();
      await removeSurroundings(surroundings);
    }
    await removeSurroundings(this.#surroundings);
  }

  #agentsOf(plugin: () => MemoryPlugin): CheckAgents {
    const parts = { tier: this.tier, clock: this.#clock, trace: this.trace, anyForm: this.#anyForm, plugin };
    return new CheckAgents({
      names: PLUGIN_NAMES,
      namespace: PLUGIN_NAMESPACE,
      tier: this.tier,
      make: (caller, namespace) => new PluginAgent(caller, namespace, parts),
    });
  }

  async #closePlugin(): Promise<void> {
    const plugin = this.#plugin;
    this.#plugin = undefined;
    await plugin?.close?.();
  }
}

/**
 * Runs an operation that a plugin must always support. An exception is an error of the plugin, not of the
 * suite.
 */
async function demandIt(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ExpectationError) {
      const { discrepancy } = error;
      throw new ExpectationError({ ...discrepancy, what: `${what}: ${discrepancy.what}` });
    }
    throw new ExpectationError({ what, expected: "it to succeed", got: `it threw ${thrownText(error)}` });
  }
}
