import type { ScopeSelector } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { LineagePlugin } from "../reference/lineage-plugin.js";
import type { Row } from "../reference/row.js";
import { cascadeBoundsMutants } from "./cascade-bounds.js";
import { cascadeGeneratedMutants } from "./cascade-generated.js";
import { cascadeOnceMutants } from "./cascade-once.js";

type Levels = Parameters<LineagePlugin["levels"]>;

/** The lineage plugin with a rewrite of the found levels. */
function taking(change: (levels: Row[][], selected: readonly Row[]) => Row[][]) {
  return () =>
    new (class extends LineagePlugin {
      protected override levels(...[own, selected, request]: Levels): Row[][] {
        return change(super.levels(own, selected, request), selected);
      }
    })();
}

/** The lineage plugin with another set of searched rows. */
function lookingAmong(rows: (own: Row[], selector: ScopeSelector, all: Row[]) => Row[]) {
  return () =>
    new (class extends LineagePlugin {
      protected override own(selector: ScopeSelector): Row[] {
        const all = [...this.partitions.values()].flatMap((partition) => [...partition.rows.values()]);
        return rows(super.own(selector), selector, all);
      }
    })();
}

const cascadeTakesMutants: readonly Mutant[] = [
  pluginMutant({
    id: "cascade-stays-in-the-namespace",
    defect: "a cascade searches for derived entries only in the selected namespace",
    check: "cascade/takes-what-is-derived-level-by-level",
    names: /`deleted` and `cascaded` of a forget with cascade/,
    tier: "episodic",
    createPlugin: lookingAmong((own, { namespace }) =>
      own.filter(({ scope }) => scope.namespace === namespace),
    ),
  }),
  pluginMutant({
    id: "cascade-edits-sources",
    defect: "a remaining entry loses its deleted source",
    check: "cascade/leaves-what-has-another-source",
    names: /sources of an entry that a cascade left/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        protected override drop(...[gone, ...how]: Parameters<LineagePlugin["drop"]>): void {
          super.drop(gone, ...how);
          for (const { rows } of this.partitions.values()) {
            for (const [key, row] of rows) {
              const sources = row.sources?.filter((hash) => hash !== gone.key_hash);
              if (sources !== undefined) rows.set(key, { ...row, sources });
            }
          }
        }
      })(),
  }),
  pluginMutant({
    id: "cascade-kept-by-itself",
    defect: "an entry that names itself in its sources is never deleted",
    check: "cascade/diamonds-and-cycles",
    names: /`cascaded` of a cascade over a diamond/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        protected override hasSourceLeft(row: Row, left: ReadonlySet<string>): boolean {
          return super.hasSourceLeft({ ...row, key_hash: "" }, left);
        }
      })(),
  }),
  pluginMutant({
    id: "cascade-by-the-first-sources",
    defect: "a cascade uses the sources from the creation of an entry",
    check: "cascade/goes-by-the-sources-there-are-now",
    names: /ids left by a cascade over entries with sources that an update changed/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        readonly #first = new Map<number, readonly string[] | undefined>();
        protected override merge(...args: Parameters<LineagePlugin["merge"]>): Row {
          const row = super.merge(...args);
          if (!this.#first.has(row.seq)) this.#first.set(row.seq, row.sources);
          return row;
        }
        protected override levels(...[own, ...more]: Levels): Row[][] {
          const first = new Map<Row, Row>(
            own.map((row) => [{ ...row, sources: this.#first.get(row.seq) }, row]),
          );
          return super.levels([...first.keys()], ...more).map((level) => level.map((row) => first.get(row)!));
        }
      })(),
  }),
  pluginMutant({
    id: "cascade-dry-run-without-derived",
    defect: "a dry run of a cascade counts only the selected entries",
    check: "cascade/dry-run-counts-and-keeps",
    names: /`deleted` and `cascaded` of a dry run/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        protected override levels(...[own, selected, request]: Levels): Row[][] {
          return request.dry_run ? [] : super.levels(own, selected, request);
        }
      })(),
  }),
];

const cascadeReachMutants: readonly Mutant[] = [
  pluginMutant({
    id: "cascade-takes-what-others-shared",
    defect: "a cascade in the semantic tier deletes entries of other agents",
    check: "cascade/leaves-what-other-agents-wrote",
    names: /`cascaded` with entries of another agent derived from the same source/,
    tier: "semantic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        protected override mayTake(): boolean {
          return true;
        }
      })(),
  }),
  pluginMutant({
    id: "cascade-crosses-sessions",
    defect: "a cascade in the working tier reaches all sessions of the agent",
    check: "cascade/stays-in-its-session",
    names: /ids left in the session of a cascade/,
    tier: "working",
    createPlugin: lookingAmong((_own, { agent }, all) => all.filter(({ scope }) => scope.agent === agent)),
  }),
  pluginMutant({
    id: "cascade-in-256-partitions",
    defect: "a cascade searches 256 partitions, as a read does, and ignores the others",
    check: "cascade/reaches-every-namespace",
    names: /`deleted` and `cascaded` of a cascade over 260 namespaces/,
    tier: "episodic",
    createPlugin: lookingAmong((own) => {
      const namespaces = [...new Set(own.map(({ scope }) => scope.namespace))].slice(0, 256);
      return own.filter(({ scope }) => namespaces.includes(scope.namespace));
    }),
  }),
  pluginMutant({
    id: "cascade-a-thousand-at-most",
    defect: "a cascade deletes 1,000 derived entries, and keeps the others",
    check: "cascade/takes-many-at-once",
    names: /`deleted` and `cascaded` of a cascade that takes 1,500/,
    tier: "episodic",
    createPlugin: taking(([first = [], second = [], ...more]) =>
      second.length > 250
        ? [first, second.slice(0, 250)]
        : [first, second, ...more].filter(({ length }) => length > 0),
    ),
  }),
  pluginMutant({
    id: "cascade-cut-at-16-levels",
    defect: "a cascade with more levels deletes 16 levels without an error",
    check: "cascade/too-deep-takes-nothing",
    names: /a cascade over 17 levels/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        protected override bound(...[limit, got]: Parameters<LineagePlugin["bound"]>): void {
          if (limit !== "cascadeLevels") super.bound(limit, got);
        }
        protected override levels(...args: Levels): Row[][] {
          return super.levels(...args).slice(0, 16);
        }
      })(),
  }),
  pluginMutant({
    id: "cascade-without-a-bound",
    defect: "a cascade deletes any number of entries",
    check: "cascade/too-many-take-nothing",
    names: /a cascade to 10,001 derived entries/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        protected override bound(...[limit, got]: Parameters<LineagePlugin["bound"]>): void {
          if (limit === "cascadeLevels") super.bound(limit, got);
        }
      })(),
  }),
];

export const cascadeMutants: readonly Mutant[] = [
  ...cascadeTakesMutants,
  ...cascadeReachMutants,
  ...cascadeBoundsMutants,
  ...cascadeGeneratedMutants,
  ...cascadeOnceMutants,
];
