import { type MemoryPlugin, type PluginServices, type Scope, scopeOf } from "@membus/protocol";
import { CheckAgents } from "../check-agents.js";
import type { EmbedderFacts, Features, PluginContext } from "../context.js";
import type { Expect } from "../expect.js";
import type { AgentOptions, EntryInput, MemoryAgent } from "../memory-agent.js";
import { Random } from "../random.js";
import type { ShiftingClock } from "../shifting-clock.js";
import type { Trace } from "../trace.js";
import type { WorldRequest } from "../world.js";
import { killWhileStoring } from "./kill-while-storing.js";
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
import type { PluginSubject } from "./plugin-subject.js";

/** A plugin during one check. What checks call is bound, so that they may take it apart. */
export class OpenedPlugin implements PluginContext {
  readonly tier: WorldRequest["tier"];
  readonly expect: Expect;
  readonly trace: Trace;
  readonly random: Random;
  readonly #subject: PluginSubject;
  readonly #surroundings: PluginSurroundings;
  readonly #clock: ShiftingClock;
  readonly #agents: CheckAgents;
  readonly #others: { readonly plugin: MemoryPlugin; readonly surroundings: PluginSurroundings }[] = [];
  #plugin: MemoryPlugin | undefined;

  constructor(
    subject: PluginSubject,
    request: WorldRequest,
    surroundings: PluginSurroundings,
    clock: ShiftingClock,
  ) {
    const { tier, seed, expect, trace } = request;
    this.tier = tier;
    this.expect = expect;
    this.trace = trace;
    this.random = new Random(seed);
    this.#subject = subject;
    this.#surroundings = surroundings;
    this.#clock = clock;
    const parts = { tier, clock, trace, plugin: () => this.plugin };
    this.#agents = new CheckAgents({
      names: PLUGIN_NAMES,
      namespace: PLUGIN_NAMESPACE,
      tier,
      make: (caller, namespace) => new PluginAgent(caller, namespace, parts),
    });
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

  async open(): Promise<void> {
    this.#plugin = await openPlugin(this.#subject, this.services);
  }

  readonly reopen = async (): Promise<MemoryPlugin> => {
    await this.#closePlugin();
    await this.open();
    return this.plugin;
  };

  readonly another = async ({
    sameDirectory,
    open = true,
  }: {
    sameDirectory: boolean;
    open?: boolean;
  }): Promise<MemoryPlugin> => {
    const surroundings = sameDirectory
      ? this.#surroundings
      : await makeSurroundings(this.tier, this.#clock, this.services.embedder ?? null);
    const plugin = await this.#subject.createPlugin();
    if (!sameDirectory) this.#others.push({ plugin, surroundings });
    if (open) await plugin.open?.(surroundings.services);
    return plugin;
  };

  readonly killWhileStoring = async (count: number): Promise<readonly EntryInput[]> => {
    await this.#closePlugin();
    const stored = await killWhileStoring(this.#subject, this.#surroundings.directory, this.tier, count);
    await this.open();
    return stored;
  };

  async close(): Promise<void> {
    await this.#closePlugin();
    for (const { plugin, surroundings } of this.#others) {
      await plugin.close?.();
      await removeSurroundings(surroundings);
    }
    await removeSurroundings(this.#surroundings);
  }

  async #closePlugin(): Promise<void> {
    const plugin = this.#plugin;
    this.#plugin = undefined;
    await plugin?.close?.();
  }
}
