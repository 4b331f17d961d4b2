import { type Mutant, pluginMutant } from "../mutant.js";
import { LineagePlugin } from "../reference/lineage-plugin.js";
import type { Row } from "../reference/row.js";

type Levels = Parameters<LineagePlugin["levels"]>;

const CHECK = "cascade/generated-lineages";

interface Hashes {
  /** Hashes of the entries that remain, that the criteria select, and that other agents have. */
  readonly left: ReadonlySet<string>;
  readonly selected: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
  /** Hashes of all entries before the cascade. */
  readonly all: ReadonlySet<string>;
}

/** The lineage plugin with another rule for the sources that remain. */
function keeping(isLeft: (hash: string, hashes: Hashes) => boolean) {
  return () =>
    new (class extends LineagePlugin {
      #before: Omit<Hashes, "left"> | undefined;

      protected override levels(...[own, selected, request]: Levels): Row[][] {
        const all = [...this.partitions.values()].flatMap(({ rows }) => [...rows.values()]);
        const others = all.filter((row) => !own.includes(row));
        this.#before = { selected: hashesOf(selected), others: hashesOf(others), all: hashesOf(all) };
        return super.levels(own, selected, request);
      }

      protected override hasSourceLeft({ sources = [], key_hash }: Row, left: ReadonlySet<string>): boolean {
        const hashes = { ...this.#before!, left };
        return sources.some((hash) => hash !== key_hash && isLeft(hash, hashes));
      }
    })();
}

function hashesOf(rows: readonly Row[]): ReadonlySet<string> {
  return new Set(rows.map(({ key_hash }) => key_hash));
}

export const cascadeGeneratedMutants: readonly Mutant[] = [
  pluginMutant({
    id: "cascade-same-key-is-gone-everywhere",
    defect: "a source counts as deleted although an entry of the same key remains in another namespace",
    check: CHECK,
    names: /`deleted` and `cascaded` in the reply to a dry run/,
    tier: "episodic",
    createPlugin: keeping((hash, { left, selected }) => left.has(hash) && !selected.has(hash)),
  }),
  pluginMutant({
    id: "cascade-kept-by-what-never-was",
    defect: "a source without an entry counts as one that remains",
    check: CHECK,
    names: /`deleted` and `cascaded` in the reply to a dry run/,
    tier: "episodic",
    createPlugin: keeping((hash, { left, all }) => left.has(hash) || !all.has(hash)),
  }),
  pluginMutant({
    id: "cascade-kept-by-another-agents-entry",
    defect: "an entry of the same key that belongs to another agent counts as a source that remains",
    check: CHECK,
    names: /`deleted` and `cascaded` in the reply to a dry run/,
    tier: "episodic",
    createPlugin: keeping((hash, { left, others }) => left.has(hash) || others.has(hash)),
  }),
  pluginMutant({
    id: "cascade-sources-of-others-are-none",
    defect: "in the semantic tier only sources that the caller wrote count as remaining",
    check: CHECK,
    names: /`deleted` and `cascaded` in the reply to a dry run/,
    tier: "semantic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        protected override levels(...[own, selected, request]: Levels): Row[][] {
          const mine = own.filter(({ author }) => author === request.op.agent);
          return super.levels(mine, selected, request);
        }
      })(),
  }),
];
