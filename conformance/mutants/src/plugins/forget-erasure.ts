import type { Operation, PluginErasureResult } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";

type Id = Pick<Operation, "tenant" | "agent" | "id">;

/** The durable plugin, which tells something else of a forget. */
function telling(
  change: (known: PluginErasureResult | undefined, plugin: DurablePlugin, op: Id) => unknown,
): DurablePlugin {
  return new (class extends DurablePlugin {
    override async onErasure(op: Id): Promise<PluginErasureResult | undefined> {
      return (await change(await super.onErasure(op), this, op)) as PluginErasureResult | undefined;
    }
  })();
}

/** Its journal keeps what was forgotten. */
function leavingOnDisk(): DurablePlugin {
  return new (class extends DurablePlugin {
    protected override rewrite(): void {}
  })();
}

/** It says that a purge is to come where it has read the forget from its journal. */
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
    defect: "the status of a forget is `done` although the journal still holds what it took",
    check: "forget/erasure-is-told-truly",
    names: /although its status is not `scheduled`/,
    tier: "episodic",
    createPlugin: leavingOnDisk,
  }),
  pluginMutant({
    id: "forget-erasure-past-its-time",
    defect: "the status of a forget is `scheduled` for ever, whatever time it names",
    check: "forget/erasure-is-told-truly",
    names: /past its `purge_by`/,
    tier: "episodic",
    createPlugin: () =>
      telling(
        (known) => known && { purge: "scheduled", purge_by: (known as { purged_at: number }).purged_at },
      ),
  }),
  pluginMutant({
    id: "forget-erasure-forgotten",
    defect: "a purge that was done is to come after a restart",
    check: "forget/erasure-is-told-truly",
    names: /after a restart/,
    tier: "episodic",
    createPlugin: forgettingDone,
  }),
  pluginMutant({
    id: "forget-erasure-of-anything",
    defect: "the status of a forget that nobody knows is `done`",
    check: "retry/status-of-a-forget",
    names: /an id that no request had/,
    tier: "episodic",
    createPlugin: () => telling((known) => known ?? { purge: "done", purged_at: 0 }),
  }),
];
