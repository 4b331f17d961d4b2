import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import { ForgottenOnDisk } from "../reference/forgotten-on-disk.js";
import type { Row } from "../reference/row.js";

/** The durable plugin with changed rows when it reads its journal. */
function replaying(change: (row: Row) => Row): DurablePlugin {
  return new (class extends DurablePlugin {
    protected override replayRow(row: Row): void {
      super.replayRow(change(row));
    }
  })();
}

export const durabilityReopenMutants: readonly Mutant[] = [
  pluginMutant({
    id: "durability-drops-fields",
    defect: "the metadata of an entry is not restored",
    check: "durability/entries-survive-reopen",
    names: /complete entries after close and open/,
    tier: "episodic",
    createPlugin: () => replaying(({ metadata: _, ...row }) => row),
  }),
  pluginMutant({
    id: "durability-drops-ends",
    defect: "the expiry of an entry is not restored",
    check: "durability/ends-survive-reopen",
    names: /entries and their expiry after 70 s, close and open/,
    tier: "episodic",
    createPlugin: () => replaying(({ expires_at: _, ...row }) => ({ ...row, ttl: null })),
  }),
  pluginMutant({
    id: "durability-declared-alone",
    defect: "`durable` is declared without any write",
    check: "durability/entries-survive-reopen",
    names: /complete entries after close and open/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override append(): void {}
        protected override rewrite(): void {}
      })(),
  }),
  pluginMutant({
    id: "durability-forgets-vectors",
    defect: "restored entries are not indexed by words and vectors",
    check: "durability/search-survives-reopen",
    names: /results and scores of a query after close and open/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        readonly #read = new WeakSet<Row>();

        protected override replayRow(row: Row): void {
          this.#read.add(row);
          super.replayRow(row);
        }

        protected override relevance(...[row, ...more]: Parameters<DurablePlugin["relevance"]>) {
          return this.#read.has(row) ? 0 : super.relevance(row, ...more);
        }
      })(),
  }),
  pluginMutant({
    id: "durability-forgotten-is-back",
    defect: "forgotten entries stay in the journal and are restored from there",
    check: "durability/forgotten-stays-forgotten-after-reopen",
    names: /entries after close and open, once more, with 2 of 3 forgotten/,
    tier: "episodic",
    createPlugin: () => new ForgottenOnDisk(),
  }),
  pluginMutant({
    id: "durability-keeps-the-first-version",
    defect: "the first version of an entry in the journal is restored",
    check: "durability/updates-survive-reopen",
    names: /the entry of a key that was updated after an open/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override rewritten(): JournalLine {
          return this.#first ?? super.rewritten();
        }
        #first: JournalLine | undefined;

        protected override replay(line: JournalLine): void {
          super.replay(line);
          if (line.rows.length > 0) this.#first ??= line;
        }
      })(),
  }),
  pluginMutant({
    id: "durability-revisions-start-again",
    defect: "revisions are counted from 1, again after every open",
    check: "durability/revisions-grow-over-reopen",
    names: /revision of a key that was forgotten before close and open, stored again after/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override nextRevision({
          rows,
          lastRevision,
        }: Parameters<DurablePlugin["nextRevision"]>[0]) {
          const stored = [...rows.values()].map(({ revision }) => revision);
          return Math.max(lastRevision, 0, ...stored) + 1;
        }

        protected override replayRevision(): void {}
      })(),
  }),
  pluginMutant({
    id: "durability-operations-forgotten",
    defect: "results are not restored",
    check: "durability/results-survive-reopen",
    names: /the result of a store that is repeated after 590 s, close and open/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override replayOperation(): void {}
      })(),
  }),
  pluginMutant({
    id: "durability-forgets-not-remembered",
    defect: "only the results of stores are restored",
    check: "durability/results-survive-reopen",
    names: /the result of a forget that is repeated after 590 s, close and open/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override replayOperation(line: Parameters<DurablePlugin["replayOperation"]>[0]): void {
          if ("receipts" in (line.result as object)) super.replayOperation(line);
        }
      })(),
  }),
];
