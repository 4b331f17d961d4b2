import { type Scope, selectsScope } from "@membus/protocol";
import type { Operation, PluginServices } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import type { Row } from "../reference/row.js";

/** The durable plugin with maintenance that rewrites the journal with changed lines. */
function compacting(change: (line: JournalLine) => JournalLine): DurablePlugin {
  return new (class extends DurablePlugin {
    #isCompacting = false;

    override async maintain(): Promise<void> {
      await super.maintain();
      this.#isCompacting = true;
      this.rewrite();
      this.#isCompacting = false;
    }

    protected override rewritten(): JournalLine {
      const line = super.rewritten();
      return this.#isCompacting ? change(line) : line;
    }

    override async close(): Promise<void> {
      this.journal.close();
      await this.lock?.release();
    }
  })();
}

const ENTRIES = "durability/entries-hold-time-after-time";
const REVISIONS = "durability/revisions-rise-time-after-time";
const RETRIES = "durability/retries-hold-time-after-time";
const SUBTREE = "durability/subtree-is-forgotten-before-any-read";
const ENDS = "durability/ends-while-closed-are-reported-once";

const entryMutants: readonly Mutant[] = [
  pluginMutant({
    id: "durability-snapshot-without-context",
    defect: "compacted entries lose their context",
    check: ENTRIES,
    names:
      /differences from the stored entries, after .*open|differences from the stored entries, after maintain/,
    tier: "episodic",
    createPlugin: () =>
      compacting(({ rows, ...rest }) => ({ ...rest, rows: rows.map(({ context: _, ...row }) => row) })),
  }),
  pluginMutant({
    id: "durability-snapshot-orders-by-key",
    defect: "compacted rows are read in the order of their keys, which counts as their arrival",
    check: ENTRIES,
    names: /revisions and `seq` that differ from the receipts/,
    tier: "episodic",
    createPlugin: () =>
      compacting(({ rows, ...rest }) => {
        const seqs = rows.map(({ seq }) => seq).sort((a, b) => a - b);
        const sorted = [...rows].sort((a, b) => (a.key_hash < b.key_hash ? -1 : 1));
        return { ...rest, rows: sorted.map((row, at) => ({ ...row, seq: seqs[at]! })) };
      }),
  }),
  pluginMutant({
    id: "durability-snapshot-is-not-indexed",
    defect: "restored words are only indexed after the first opening",
    check: ENTRIES,
    names: /ids found by the word/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        readonly #unindexed = new Set<Row>();

        protected override replayRow(row: Row & { openings?: number }): void {
          const openings = (row.openings ?? 0) + 1;
          super.replayRow(Object.assign(row, { openings }));
          if (openings > 1) this.#unindexed.add(row);
        }

        protected override entry(...[row, ...rest]: Parameters<DurablePlugin["entry"]>) {
          const { openings: _, ...sound } = row as Row & { openings?: number };
          return super.entry(sound, ...rest);
        }

        protected override relevance(...[row, ...more]: Parameters<DurablePlugin["relevance"]>) {
          return this.#unindexed.has(row) ? 0 : super.relevance(row, ...more);
        }
      })(),
  }),
  pluginMutant({
    id: "durability-ends-anew-with-each-opening",
    defect: "the remaining time of an entry is counted from the opening",
    check: ENTRIES,
    names: /entries after one of .* has expired, time after time/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override replayRow(row: Row): void {
          super.replayRow(row.ttl === null ? row : { ...row, expires_at: this.now() + row.ttl });
        }
      })(),
  }),
];

const revisionMutants: readonly Mutant[] = [
  pluginMutant({
    id: "durability-revisions-of-rows-alone",
    defect: "compaction drops the counters of keys and partitions without rows",
    check: REVISIONS,
    names: /revisions not above the previous one/,
    tier: "episodic",
    createPlugin: () =>
      compacting(({ rows, ...rest }) => {
        const last = new Map<Scope, number>();
        for (const { scope, revision } of rows) last.set(scope, Math.max(revision, last.get(scope) ?? 0));
        return { ...rest, rows, lastRevisions: [...last].map(([scope, revision]) => ({ scope, revision })) };
      }),
  }),
  pluginMutant({
    id: "durability-revisions-are-the-time",
    defect: "a revision is the time in microseconds, and nothing else",
    check: REVISIONS,
    names: /revisions not above the previous one/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        #last = 0;

        protected override nextRevision(...[, op]: Parameters<DurablePlugin["nextRevision"]>) {
          this.#last = Math.max(this.#last + 1, Math.floor(op.accepted_at * 1e6));
          return this.#last;
        }
      })(),
  }),
  pluginMutant({
    id: "durability-revisions-kept-for-one-opening",
    defect: "counters are only written after a store since the opening, and otherwise dropped after one read",
    check: REVISIONS,
    names: /revisions not above the previous one/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        #hasStored = false;

        protected override append(line: JournalLine): void {
          this.#hasStored ||= line.rows.length > 0;
          super.append(line);
        }

        protected override rewritten(): JournalLine {
          const line = super.rewritten();
          return this.#hasStored ? line : { ...line, lastRevisions: [] };
        }
      })(),
  }),
];

const retryMutants: readonly Mutant[] = [
  pluginMutant({
    id: "durability-digests-not-kept",
    defect: "restored results have no digest, so any request with the id gets them",
    check: RETRIES,
    names: /codes of a store with the id of another, after/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        readonly #read = new Set<string>();

        protected override replayOperation(...[line]: Parameters<DurablePlugin["replayOperation"]>): void {
          this.#read.add(this.operationKey(line.op));
          super.replayOperation(line);
        }

        protected override once<Result>(op: Operation, work: () => Promise<Result>): Promise<Result> {
          const key = this.operationKey(op);
          const { digest = op.digest } = this.operations.get(key) ?? {};
          return super.once(this.#read.has(key) ? { ...op, digest } : op, work);
        }
      })(),
  }),
  pluginMutant({
    id: "durability-results-by-id-alone",
    defect: "restored results are identified by the id of their request, regardless of its agent",
    check: RETRIES,
    names: /codes of a store with the id of another agent's/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        readonly #read = new Map<string, string>();

        protected override replayOperation(...[line]: Parameters<DurablePlugin["replayOperation"]>): void {
          super.replayOperation(line);
          this.#read.set(line.op.id, super.operationKey(line.op));
        }

        protected override operationKey(op: Parameters<DurablePlugin["operationKey"]>[0]): string {
          return this.#read.get(op.id) ?? super.operationKey(op);
        }
      })(),
  }),
  pluginMutant({
    id: "durability-keeps-the-last-results",
    defect: "only the last eight results are restored",
    check: RETRIES,
    names: /the result of a repeated store, after/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override rewritten(): JournalLine {
          const { operations, ...line } = super.rewritten();
          return { ...line, operations: operations.slice(-8) };
        }
      })(),
  }),
];

const subtreeMutants: readonly Mutant[] = [
  pluginMutant({
    id: "durability-subtree-of-what-was-asked-for",
    defect: "a forget of a subtree covers only namespaces that a request has named since the opening",
    check: SUBTREE,
    names: /`deleted` of a forget of a subtree as the first request/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        readonly #asked = new Set<string>();

        override onStore(...[scope, request]: Parameters<DurablePlugin["onStore"]>) {
          this.#asked.add(scope.namespace);
          return super.onStore(scope, request);
        }

        override onRetrieve(...[selector, request]: Parameters<DurablePlugin["onRetrieve"]>) {
          for (const { scope } of this.selectedPartitions(selector)) this.#asked.add(scope.namespace);
          return super.onRetrieve(selector, request);
        }

        protected override doomed(...[selector, request]: Parameters<DurablePlugin["doomed"]>) {
          return super.doomed(selector, request).filter(({ scope }) => this.#asked.has(scope.namespace));
        }
      })(),
  }),
  pluginMutant({
    id: "durability-subtree-of-the-path-itself",
    defect: "the namespaces of a subtree are listed from stores, and the list is not persisted",
    check: SUBTREE,
    names: /`deleted` of a forget of a subtree as the first request/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        readonly #created = new Set<string>();

        protected override merge(...[item, previous, context]: Parameters<DurablePlugin["merge"]>) {
          this.#created.add(this.partitionKey(context.scope));
          return super.merge(item, previous, context);
        }

        protected override selects(...[selector, scope]: Parameters<DurablePlugin["selects"]>): boolean {
          const isBelow = !selectsScope({ ...selector, subtree: false }, scope);
          return super.selects(selector, scope) && (!isBelow || this.#created.has(this.partitionKey(scope)));
        }
      })(),
  }),
  pluginMutant({
    id: "durability-subtree-is-back",
    defect: "a forget of a subtree is only written for namespaces with a store since the opening",
    check: SUBTREE,
    names: /after the forget, close and open/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        #read: readonly Row[] = [];
        #changed = new Set<string>();

        override async open(services: PluginServices): Promise<void> {
          await super.open(services);
          this.#changed = new Set();
          this.#read = super.rewritten().rows;
        }

        protected override async storeAll(...[scope, request]: Parameters<DurablePlugin["storeAll"]>) {
          this.#changed.add(this.partitionKey(scope));
          return super.storeAll(scope, request);
        }

        protected override rewritten(): JournalLine {
          const line = super.rewritten();
          const isChanged = ({ scope }: Row) => this.#changed.has(this.partitionKey(scope));
          const rows = [...this.#read.filter((row) => !isChanged(row)), ...line.rows.filter(isChanged)];
          return this.#read.length === 0 ? line : { ...line, rows };
        }
      })(),
  }),
];

const endMutants: readonly Mutant[] = [
  pluginMutant({
    id: "durability-ended-is-not-read",
    defect: "entries that expired while the plugin was closed are not reported",
    check: ENDS,
    names: /changes that a plugin reports opened once/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override replayRow(row: Row): void {
          if (!this.isOver(row)) super.replayRow(row);
        }
      })(),
  }),
  pluginMutant({
    id: "durability-ended-each-time",
    defect: "expired entries stay on disk, and are reported at every opening",
    check: ENDS,
    names: /changes that a plugin reports opened twice/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        readonly #ended = new Set<Row>();

        protected override drop(...[row, action, agent]: Parameters<DurablePlugin["drop"]>): void {
          if (action === "expired") this.#ended.add(row);
          super.drop(row, action, agent);
        }

        protected override rewritten(): JournalLine {
          const line = super.rewritten();
          return { ...line, rows: [...line.rows, ...this.#ended] };
        }
      })(),
  }),
  pluginMutant({
    id: "durability-ends-of-former-versions",
    defect: "expiry times are kept in a separate list, which an update without expiry does not change",
    check: ENDS,
    names: /entries of a plugin opened once/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        readonly #listed = new WeakMap<Row, number>();

        protected override merge(...[item, previous, context]: Parameters<DurablePlugin["merge"]>): Row {
          const row = super.merge(item, previous, context);
          const end = row.expires_at ?? (previous && this.#listed.get(previous));
          if (end !== undefined) this.#listed.set(row, end);
          return row;
        }

        protected override rewritten(): JournalLine {
          const line = super.rewritten();
          const rows = line.rows.map((row) => ({
            ...row,
            expires_at: this.#listed.get(row) ?? row.expires_at,
          }));
          return { ...line, rows };
        }
      })(),
  }),
];

/** Guarantees that hold once, but not repeatedly. */
export const durabilityAgainMutants: readonly Mutant[] = [
  ...entryMutants,
  ...revisionMutants,
  ...retryMutants,
  ...subtreeMutants,
  ...endMutants,
];
