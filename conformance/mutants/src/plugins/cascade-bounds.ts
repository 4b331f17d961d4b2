import { type Mutant, pluginMutant } from "../mutant.js";
import { LineagePlugin } from "../reference/lineage-plugin.js";
import type { Row } from "../reference/row.js";

type Bound = Parameters<LineagePlugin["bound"]>;
type Levels = Parameters<LineagePlugin["levels"]>;

const CHECK = "cascade/too-many-take-nothing";

/** Counts the derived entries of each level instead of all levels. */
class BoundedByLevel extends LineagePlugin {
  #before = 0;

  protected override levels(...args: Levels): Row[][] {
    this.#before = 0;
    return super.levels(...args);
  }

  protected override bound(...[limit, got]: Bound): void {
    const counted = limit === "cascadeDerived" ? got - this.#before : got;
    if (limit === "cascadeDerived") this.#before = got;
    super.bound(limit, counted);
  }
}

/** Counts the entries that a cascade deletes instead of all that name a deleted one. */
class BoundedByDeleted extends LineagePlugin {
  protected override levels(...args: Levels): Row[][] {
    const levels = super.levels(...args);
    super.bound("cascadeDerived", levels.flat().length);
    return levels;
  }

  protected override bound(...[limit, got]: Bound): void {
    if (limit !== "cascadeDerived") super.bound(limit, got);
  }
}

/** Counts the selected entries as derived ones too. */
class BoundedTogether extends LineagePlugin {
  #selected = 0;

  protected override levels(...[own, selected, request]: Levels): Row[][] {
    this.#selected = selected.length;
    return super.levels(own, selected, request);
  }

  protected override bound(...[limit, got]: Bound): void {
    super.bound(limit, limit === "cascadeDerived" ? got + this.#selected : got);
  }
}

/** Applies the bounds only if something is deleted. */
class UnboundedDryRuns extends LineagePlugin {
  #isDryRun = false;

  protected override doomed(...[selector, request]: Parameters<LineagePlugin["doomed"]>): Row[] {
    this.#isDryRun = request.dry_run;
    return super.doomed(selector, request);
  }

  protected override bound(...[limit, got]: Bound): void {
    if (!this.#isDryRun) super.bound(limit, got);
  }
}

/** Does not bound the entries that the criteria select. */
class UnboundedSelection extends LineagePlugin {
  protected override bound(...[limit, got]: Bound): void {
    if (limit !== "cascadeSelected") super.bound(limit, got);
  }
}

export const cascadeBoundsMutants: readonly Mutant[] = [
  pluginMutant({
    id: "cascade-bounded-by-level",
    defect: "the bound of derived entries applies to each level, not to all levels together",
    check: CHECK,
    names: /a dry run of a cascade to 10,001 derived entries/,
    tier: "episodic",
    createPlugin: () => new BoundedByLevel(),
  }),
  pluginMutant({
    id: "cascade-bounded-by-deleted",
    defect: "derived entries that another source keeps do not count for the bound",
    check: CHECK,
    names: /a dry run of a cascade to 10,001 derived entries/,
    tier: "episodic",
    createPlugin: () => new BoundedByDeleted(),
  }),
  pluginMutant({
    id: "cascade-bounded-together",
    defect: "selected and derived entries share one bound",
    check: CHECK,
    names: /too_large|too many entries/,
    tier: "episodic",
    createPlugin: () => new BoundedTogether(),
  }),
  pluginMutant({
    id: "cascade-dry-runs-unbounded",
    defect: "a dry run counts more entries than a cascade may delete",
    check: CHECK,
    names: /a dry run of a cascade to 10,001 derived entries/,
    tier: "episodic",
    createPlugin: () => new UnboundedDryRuns(),
  }),
  pluginMutant({
    id: "cascade-selects-any-number",
    defect: "the number of entries that the criteria of a cascade select is not bounded",
    check: CHECK,
    names: /a dry run of a cascade that selects 10,003 entries/,
    tier: "episodic",
    createPlugin: () => new UnboundedSelection(),
  }),
];
