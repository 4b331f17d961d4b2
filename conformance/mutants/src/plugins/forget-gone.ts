import type { Filter } from "@membus/protocol";
import { delay, systemClock } from "@membus/protocol";
import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import type { MergeContext } from "../reference/merge.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";

/** Longer than a request, shorter than the suite waits. */
const LATER_MS = 20;

/** The reference plugin with some retrieves that still find forgotten rows. */
function seeingForgotten(sees: (request: PluginRetrieveRequest) => boolean): ReferencePlugin {
  return new (class extends ReferencePlugin {
    readonly #forgotten: Row[] = [];

    protected override drop(...[row, action, agent]: Parameters<ReferencePlugin["drop"]>) {
      if (action === "forgotten") this.#forgotten.push(row);
      super.drop(row, action, agent);
    }

    protected override select(...[selector, request]: Parameters<ReferencePlugin["select"]>) {
      const rows = super.select(selector, request);
      if (!("order" in request) || !sees(request as PluginRetrieveRequest)) return rows;
      const old = this.#forgotten.filter(({ scope }) => this.selects(selector, scope));
      return [...rows, ...old.filter((row) => this.isSelected(row, request))];
    }
  })();
}

function namesKeys({ filter }: PluginRetrieveRequest): boolean {
  const { all } = filter as { readonly all: readonly Filter[] };
  return all.some((one) => "field" in one && one.field === "key_hash");
}

export const forgetGoneMutants: readonly Mutant[] = [
  pluginMutant({
    id: "forget-leaves-cache-by-key",
    defect: "a cache of entries by key is not invalidated by a forget",
    check: "forget/gone-on-every-path",
    names: /entries of a retrieve by key after one of two was forgotten/,
    createPlugin: () => seeingForgotten(namesKeys),
  }),
  pluginMutant({
    id: "forget-leaves-words",
    defect: "the word index keeps forgotten entries",
    check: "forget/gone-from-full-text",
    names: /finds by words after one of two was forgotten/,
    createPlugin: () => seeingForgotten(({ query, mode }) => query !== undefined && mode === "text"),
  }),
  pluginMutant({
    id: "forget-leaves-vectors",
    defect: "the vector index keeps forgotten entries",
    check: "forget/gone-from-similarity",
    names: /finds by vector after one of two was forgotten/,
    createPlugin: () => seeingForgotten(({ query, mode }) => query !== undefined && mode === "vector"),
  }),
  pluginMutant({
    id: "forget-is-answered-too-early",
    defect: "a forget is answered before it is executed",
    check: "forget/gone-when-answered",
    names: /keys right after the reply to a forget of all but one/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async forgetAll(...[selector, request]: Parameters<ReferencePlugin["forgetAll"]>) {
          const doomed = this.doomed(selector, request);
          void delay(systemClock, LATER_MS).then(() => super.forgetAll(selector, request));
          return this.result(doomed.length, request.op);
        }
      })(),
  }),
  pluginMutant({
    id: "forget-misses-queued-writes",
    defect: "the vector of a queued entry is written with its whole row, even after a forget in between",
    check: "forget/takes-queued-writes",
    names: /some time after a store with ack "queued" and a forget/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async onStore(...[scope, request]: Parameters<ReferencePlugin["onStore"]>) {
          const result = await super.onStore(scope, request);
          const { rows } = this.partition(scope);
          const written = request.entries.flatMap((item) => rows.get(this.rowKey(item)) ?? []);
          if (request.ack === "queued") void delay(systemClock, LATER_MS).then(() => this.write(written));
          return result;
        }

        private write(written: readonly Row[]): void {
          for (const row of written) this.partition(row.scope).rows.set(this.rowKey(row), row);
        }
      })(),
  }),
  pluginMutant({
    id: "forget-leaves-fields-to-the-next",
    defect: "a forget only marks the row, and the next store of its key reuses the old fields",
    check: "forget/key-is-new-afterwards",
    names: /fields that a new entry of a forgotten key has in common with the former one/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #marked = new Map<string, Row>();

        protected override drop(...[row, action, agent]: Parameters<ReferencePlugin["drop"]>) {
          this.#marked.set(row.key_hash, row);
          super.drop(row, action, agent);
        }

        protected override merge(...[item, previous, context]: Parameters<ReferencePlugin["merge"]>) {
          const { metadata, group } = (previous ? undefined : this.#marked.get(item.key_hash)) ?? {};
          return super.merge({ metadata, group, ...item }, previous, context satisfies MergeContext);
        }
      })(),
  }),
];
