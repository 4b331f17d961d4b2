import type { Operation, PluginErasureResult } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";

type Id = Pick<Operation, "tenant" | "agent" | "id">;
type Done = Extract<PluginErasureResult, { readonly purge: "done" }>;

/** The durable plugin that erases forgotten entries in maintenance, unless a forget demands it at once. */
class ErasingLater extends DurablePlugin {
  #isForgetting = false;
  #isPending = false;
  protected erasedAt = 0;

  protected override async forgetAll(...[selector, request]: Parameters<DurablePlugin["forgetAll"]>) {
    this.#isForgetting = !this.erasesNow(request.purge ?? false, this.doomed(selector, request).length);
    try {
      return await super.forgetAll(selector, request);
    } finally {
      this.#isForgetting = false;
    }
  }

  /** Returns whether a forget of this number of entries waits for the erasure. */
  protected erasesNow(purge: boolean, _deleted: number): boolean {
    return purge;
  }

  protected override rewrite(): void {
    if (this.#isForgetting) this.#isPending = true;
    else {
      super.rewrite();
      this.#isPending = false;
      this.erasedAt = this.now();
    }
  }

  override async maintain(): Promise<void> {
    await super.maintain();
    if (this.#isPending) this.rewrite();
  }

  protected override result(...[deleted, op]: Parameters<DurablePlugin["result"]>) {
    return {
      ...super.result(deleted, op),
      purge: this.#isForgetting ? ("scheduled" as const) : ("done" as const),
    };
  }

  override async onErasure(op: Id): Promise<PluginErasureResult | undefined> {
    const known = await super.onErasure(op);
    if (known === undefined || this.#isPending) return known && { purge: "scheduled" };
    return this.told(known as Done);
  }

  /** Returns the status of an erased forget. `known` has the time of the forget. */
  protected told(known: Done): Done {
    return { ...known, purged_at: Math.max(known.purged_at, this.erasedAt) };
  }
}

const CHECK = "forget/erasure-time-is-true";

export const forgetErasedMutants: readonly Mutant[] = [
  pluginMutant({
    id: "forget-erasure-at-the-forget",
    defect: "`purged_at` is the time of the forget, although the purge came later",
    check: CHECK,
    names: /`purged_at` of a forget, once it is done/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends ErasingLater {
        protected override told(known: Done): Done {
          return known;
        }
      })(),
  }),
  pluginMutant({
    id: "forget-erasure-at-its-latest-time",
    defect: "`purged_at` is the latest time of the erasure, which is still to come",
    check: CHECK,
    names: /`purged_at` of a forget, once it is done/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends ErasingLater {
        protected override told(known: Done): Done {
          return { ...known, purged_at: known.purged_at + 3_600 };
        }
      })(),
  }),
  pluginMutant({
    id: "forget-erasure-time-not-kept",
    defect: "the time of an erasure is not stored, and is the time of the forget after a restart",
    check: CHECK,
    names: /`purged_at` of a forget, after close and open/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends ErasingLater {
        #isReopened = false;

        protected override replayOperation(...[line]: Parameters<DurablePlugin["replayOperation"]>): void {
          this.#isReopened = true;
          super.replayOperation(line);
        }

        protected override told(known: Done): Done {
          return this.#isReopened ? known : super.told(known);
        }
      })(),
  }),
  pluginMutant({
    id: "forget-purge-only-of-what-it-deletes",
    defect: "a forget with `purge` that deletes nothing erases nothing",
    check: "forget/purge-erases-what-is-left",
    names: /files with a content that was (written over|forgotten) before/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends ErasingLater {
        protected override erasesNow(purge: boolean, deleted: number): boolean {
          return purge && deleted > 0;
        }

        protected override result(...[deleted, op]: Parameters<DurablePlugin["result"]>) {
          const result = super.result(deleted, op);
          return deleted === 0 ? { ...result, purge: "done" as const } : result;
        }
      })(),
  }),
  pluginMutant({
    id: "forget-purge-leaves-former-versions",
    defect: "a purge erases forgotten entries, but not the contents that updates replaced",
    check: "forget/purge-erases-what-is-left",
    names: /files with a content that was written over before/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        readonly #former: string[] = [];

        protected override previous(...args: Parameters<DurablePlugin["previous"]>) {
          const row = super.previous(...args);
          if (row !== undefined) this.#former.push(JSON.stringify(row.content));
          return row;
        }

        protected override rewritten() {
          return { ...super.rewritten(), former: this.#former };
        }
      })(),
  }),
];
