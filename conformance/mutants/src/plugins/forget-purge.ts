import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";

/** The durable plugin, which notes in its journal what was forgotten, and leaves it there. */
function leavingOnDisk(purge: "done" | "scheduled"): DurablePlugin {
  return new (class extends DurablePlugin {
    protected override rewrite(): void {}

    protected override result(...[deleted, op]: Parameters<DurablePlugin["result"]>) {
      return { ...super.result(deleted, op), purge };
    }
  })();
}

/** What it was asked before it answers as if it knew of no purge. */
function scheduledIfRepeated(): DurablePlugin {
  return new (class extends DurablePlugin {
    readonly #asked = new Set<string>();

    override async onForget(...[selector, request]: Parameters<DurablePlugin["onForget"]>) {
      const result = await super.onForget(selector, request);
      const isRepeated = this.#asked.has(request.op.id);
      this.#asked.add(request.op.id);
      return isRepeated && request.purge ? { ...result, purge: "scheduled" as const } : result;
    }
  })();
}

export const forgetPurgeMutants: readonly Mutant[] = [
  pluginMutant({
    id: "forget-purge-done-is-a-lie",
    defect: "`purge` is `done` although the journal still holds what was forgotten",
    check: "forget/purge-is-told-truly",
    names: /although the receipt's `purge` is `done`/,
    tier: "episodic",
    createPlugin: () => leavingOnDisk("done"),
  }),
  pluginMutant({
    id: "forget-purge-of-a-retry-is-scheduled",
    defect: "a forget with `purge` that is sent again is answered `scheduled`, as one without is",
    check: "forget/purge-asked-for-is-done",
    names: /deleted and `purge` of the same forget sent again/,
    tier: "episodic",
    createPlugin: scheduledIfRepeated,
  }),
];
