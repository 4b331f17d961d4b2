import type { Operation, PluginForgetResult, PluginStoreResult } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

type Result = Partial<PluginStoreResult & PluginForgetResult>;

/** The reference plugin that drops the results for which `isForgotten` returns true. */
function forgettingResults(isForgotten: (result: Result) => boolean): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override async once<Given>(op: Operation, work: () => Promise<Given>): Promise<Given> {
        const result = await super.once(op, work);
        if (isForgotten(result as Result)) this.operations.delete(this.operationKey(op));
        return result;
      }
    })();
}

/** The reference plugin that keeps only the last `count` results of each list. */
function rememberingLast(count: number, listOf: (op: Operation) => string): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      readonly #lists = new Map<string, string[]>();

      protected override async once<Given>(op: Operation, work: () => Promise<Given>): Promise<Given> {
        const list = this.#lists.get(listOf(op)) ?? [];
        this.#lists.set(listOf(op), list);
        const key = this.operationKey(op);
        if (!this.operations.has(key)) list.push(key);
        if (list.length > count) this.operations.delete(list.shift()!);
        return super.once(op, work);
      }
    })();
}

function isBareForget({ operations, rows }: JournalLine): boolean {
  return rows.length === 0 && operations.every(({ result }) => (result as Result).deleted === 0);
}

const memoryMutants: readonly Mutant[] = [
  pluginMutant({
    id: "retry-empty-forgets-not-remembered",
    defect: "the result of a forget without an effect is not kept",
    check: "retry/what-had-no-effect-is-remembered",
    names: /the result of a forget of nothing that is repeated at once/,
    createPlugin: forgettingResults(({ deleted }) => deleted === 0),
  }),
  pluginMutant({
    id: "retry-unchanged-not-remembered",
    defect: "the result of a store without a change is not kept",
    check: "retry/what-had-no-effect-is-remembered",
    names: /the result of a store that changed nothing that is repeated at once/,
    createPlugin: forgettingResults(({ receipts }) =>
      Boolean(receipts?.every(({ outcome }) => outcome === "unchanged")),
    ),
  }),
  pluginMutant({
    id: "retry-forget-of-everything-not-remembered",
    defect: "the result of a forget of everything is not kept",
    check: "retry/what-had-no-effect-is-remembered",
    names: /`deleted` of a repeated forget of everything in an empty namespace/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async onForget(...[selector, request]: Parameters<ReferencePlugin["onForget"]>) {
          const isEverything = JSON.stringify(request.filter) === '{"all":[]}';
          return isEverything ? this.forgetAll(selector, request) : super.onForget(selector, request);
        }
      })(),
  }),
  pluginMutant({
    id: "retry-last-thousand-remembered",
    defect: "only the results of the last thousand operations are kept",
    check: "retry/after-a-thousand-others",
    names: /the result of a store that is repeated after 1100 others/,
    createPlugin: rememberingLast(1_000, () => "all"),
  }),
  pluginMutant({
    id: "retry-last-of-each-agent-remembered",
    defect: "only the results of the last 500 operations of each agent are kept",
    check: "retry/after-a-thousand-others",
    names: /the result of a store that is repeated after 1100 others/,
    tier: "episodic",
    createPlugin: rememberingLast(500, ({ agent }) => agent),
  }),
  pluginMutant({
    id: "retry-forgets-remembered-briefly",
    defect: "only the results of the last hundred forgets are kept",
    check: "retry/after-a-thousand-others",
    names: /the result of a forget that is repeated after 1100 others/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #forgets: string[] = [];

        protected override async forgetAll(...[selector, request]: Parameters<ReferencePlugin["forgetAll"]>) {
          this.#forgets.push(this.operationKey(request.op));
          if (this.#forgets.length > 100) this.operations.delete(this.#forgets.shift()!);
          return super.forgetAll(selector, request);
        }
      })(),
  }),
  pluginMutant({
    id: "retry-large-results-not-remembered",
    defect: "a result of more than 64 KiB is not kept",
    check: "retry/of-the-largest-batch",
    names: /receipts of a store of 1000 entries that is repeated/,
    createPlugin: forgettingResults((result) => JSON.stringify(result).length > 65_536),
  }),
  pluginMutant({
    id: "retry-results-cut",
    defect: "at most 512 receipts of a result are kept",
    check: "retry/of-the-largest-batch",
    names: /receipts of a store of 1000 entries that is repeated/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async onStatus(...[op]: Parameters<ReferencePlugin["onStatus"]>) {
          const status = await super.onStatus(op);
          return status && { ...status, receipts: status.receipts.slice(0, 512) };
        }

        override async onStore(...[scope, request]: Parameters<ReferencePlugin["onStore"]>) {
          const isKnown = this.operations.has(this.operationKey(request.op));
          const result = await super.onStore(scope, request);
          return isKnown ? { ...result, receipts: result.receipts.slice(0, 512) } : result;
        }
      })(),
  }),
  pluginMutant({
    id: "retry-batches-by-their-first-entry",
    defect: "only the first receipt of a store is kept, and the others are derived from it",
    check: "retry/of-the-largest-batch",
    names: /receipts of a store of 1000 entries that is repeated/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async onStore(...[scope, request]: Parameters<ReferencePlugin["onStore"]>) {
          const isKnown = this.operations.has(this.operationKey(request.op));
          const result = await super.onStore(scope, request);
          const [{ revision } = { revision: 1 }] = result.receipts;
          return isKnown
            ? { ...result, receipts: result.receipts.map((one) => ({ ...one, revision })) }
            : result;
        }
      })(),
  }),
];

const durableMutants: readonly Mutant[] = [
  pluginMutant({
    id: "durability-maintenance-drops-results",
    defect: "maintenance rewrites the journal without the results",
    check: "durability/retries-after-maintenance-revert-nothing",
    names: /the result of a store that is repeated after close, open and maintenance, once/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        #isMaintained = false;

        override async maintain(): Promise<void> {
          this.#isMaintained = true;
          await super.maintain();
        }

        protected override rewritten(): JournalLine {
          const line = super.rewritten();
          return this.#isMaintained ? { ...line, operations: [] } : line;
        }
      })(),
  }),
  pluginMutant({
    id: "durability-empty-forgets-not-written",
    defect: "a forget without an effect is not written to disk",
    check: "durability/retries-after-maintenance-revert-nothing",
    names: /the result of a forget of nothing that is repeated after close, open and maintenance, once/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override append(line: JournalLine): void {
          if (!isBareForget(line)) super.append(line);
        }

        protected override rewritten(): JournalLine {
          const line = super.rewritten();
          const operations = line.operations.filter(({ result }) => (result as Result).deleted !== 0);
          return { ...line, operations };
        }
      })(),
  }),
  pluginMutant({
    id: "durability-results-of-one-life",
    defect: "restored results are not written again",
    check: "durability/retries-after-maintenance-revert-nothing",
    names: /repeated after close, open and maintenance, twice/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        readonly #read = new Set<string>();

        protected override replay(line: JournalLine): void {
          for (const { op } of line.operations) this.#read.add(op.id);
          super.replay(line);
        }

        protected override rewritten(): JournalLine {
          const line = super.rewritten();
          return { ...line, operations: line.operations.filter(({ op }) => !this.#read.has(op.id)) };
        }
      })(),
  }),
];

/** Mutants that drop results too early. */
export const retryEffectMutants: readonly Mutant[] = [...memoryMutants, ...durableMutants];
