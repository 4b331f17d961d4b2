import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";
import { ForgottenOnDisk } from "../reference/forgotten-on-disk.js";

/** The durable plugin with a journal that records a forget but keeps the entries. */
function leavingOnDisk(purge: "done" | "scheduled"): DurablePlugin {
  return new (class extends ForgottenOnDisk {
    protected override result(...[deleted, op]: Parameters<DurablePlugin["result"]>) {
      return { ...super.result(deleted, op), purge };
    }
  })();
}

/** The durable plugin that treats a repeated forget as one without `purge`. */
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
    defect: "`purge` is `done` although the journal still contains the forgotten entries",
    check: "forget/purge-is-told-truly",
    names: /although the `purge` of the receipt is `done`/,
    tier: "episodic",
    createPlugin: () => leavingOnDisk("done"),
  }),
  pluginMutant({
    id: "forget-purge-of-a-retry-is-scheduled",
    defect: "a repeated forget with `purge` is answered `scheduled`, like one without",
    check: "forget/purge-asked-for-is-done",
    names: /deleted and `purge` of the same forget sent again/,
    tier: "episodic",
    createPlugin: scheduledIfRepeated,
  }),
];
