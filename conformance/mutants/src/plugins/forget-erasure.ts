import type { Operation, PluginErasureResult } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";
import { ForgottenOnDisk } from "../reference/forgotten-on-disk.js";

type Id = Pick<Operation, "tenant" | "agent" | "id">;

/** The durable plugin with a changed status of a forget. */
function withErasureStatus(
  change: (known: PluginErasureResult | undefined, plugin: DurablePlugin, op: Id) => unknown,
): DurablePlugin {
  return new (class extends DurablePlugin {
    override async onErasure(op: Id): Promise<PluginErasureResult | undefined> {
      return (await change(await super.onErasure(op), this, op)) as PluginErasureResult | undefined;
    }
  })();
}

/** The durable plugin that reports a purge as scheduled after it has restored the forget. */
function forgettingDone(): DurablePlugin {
  return new (class extends DurablePlugin {
    readonly #read = new Set<string>();

    protected override replayOperation(...[line]: Parameters<DurablePlugin["replayOperation"]>): void {
      this.#read.add(this.operationKey(line.op));
      super.replayOperation(line);
    }

    override async onErasure(op: Id): Promise<PluginErasureResult | undefined> {
      const known = await super.onErasure(op);
      return known && this.#read.has(this.operationKey(op)) ? { purge: "scheduled" } : known;
    }
  })();
}

export const forgetErasureMutants: readonly Mutant[] = [
  pluginMutant({
    id: "forget-erasure-done-is-a-lie",
    defect: "the status of a forget is `done` although the journal still contains the entries",
    check: "forget/erasure-is-told-truly",
    names: /although its status is not `scheduled`/,
    tier: "episodic",
    createPlugin: () => new ForgottenOnDisk(),
  }),
  pluginMutant({
    id: "forget-erasure-past-its-time",
    defect: "the status of a forget is `scheduled` forever",
    check: "forget/erasure-is-told-truly",
    names: /past its `purge_by`/,
    tier: "episodic",
    createPlugin: () =>
      withErasureStatus(
        (known) => known && { purge: "scheduled", purge_by: (known as { purged_at: number }).purged_at },
      ),
  }),
  pluginMutant({
    id: "forget-erasure-forgotten",
    defect: "a completed purge is scheduled again after a restart",
    check: "forget/erasure-is-told-truly",
    names: /after a restart/,
    tier: "episodic",
    createPlugin: forgettingDone,
  }),
  pluginMutant({
    id: "forget-erasure-of-anything",
    defect: "the status of an unknown forget is `done`",
    check: "retry/status-of-a-forget",
    names: /an unused id/,
    tier: "episodic",
    createPlugin: () => withErasureStatus((known) => known ?? { purge: "done", purged_at: 0 }),
  }),
];
