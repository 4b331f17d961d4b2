import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

type Report = Parameters<ReferencePlugin["report"]>;

/** The reference plugin with changed reports of deleted entries. */
function reporting(report: (sound: (...what: Report) => void, ...what: Report) => void): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override report(...what: Report): void {
      report((...sound) => super.report(...sound), ...what);
    }
  })();
}

export const notifyMutants: readonly Mutant[] = [
  pluginMutant({
    id: "notify-forget-once-for-all",
    defect: "a forget of several entries only reports the first one",
    check: "notify/forgotten-is-reported",
    names: /changes reported of a forget of 2 of 3 entries/,
    createPlugin: () => {
      let last = "";
      return reporting((sound, row, action, agent) => {
        if (last !== row.scope.namespace) sound(row, action, agent);
        last = row.scope.namespace;
      });
    },
  }),
  pluginMutant({
    id: "notify-forgotten-by-the-author",
    defect: "a forget is reported for the author of an entry instead of the agent that forgot it",
    check: "notify/forgotten-is-reported",
    names: /agents in the changes of a forget/,
    tier: "semantic",
    createPlugin: () => reporting((sound, row, action) => sound(row, action, row.author)),
  }),
  pluginMutant({
    id: "notify-expires-in-silence",
    defect: "expired entries are dropped without a report",
    check: "notify/expired-is-reported",
    names: /changes reported 1 s after one of 3 entries has expired/,
    createPlugin: () =>
      reporting((sound, row, action, agent) => action !== "expired" && sound(row, action, agent)),
  }),
  pluginMutant({
    id: "notify-expired-for-nobody",
    defect: "expired entries are reported for the plugin itself instead of the author",
    check: "notify/expired-is-reported",
    names: /agents in the changes 1 s after one of 3 entries has expired/,
    createPlugin: () =>
      reporting((sound, row, action, agent) =>
        sound(row, action, action === "expired" ? "reference" : agent),
      ),
  }),
  pluginMutant({
    id: "notify-dry-run-too",
    defect: "a dry run reports the counted entries",
    check: "notify/nothing-else-is-reported",
    names: /changes reported of a store, an update, a retrieve and a dry run/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async onForget(...[selector, request]: Parameters<ReferencePlugin["onForget"]>) {
          if (request.dry_run) {
            for (const row of this.doomed(selector, request)) this.report(row, "forgotten", request.op.agent);
          }
          return super.onForget(selector, request);
        }
      })(),
  }),
  pluginMutant({
    id: "notify-queue-of-256",
    defect: "reports are queued up to 256, and further ones are dropped",
    check: "notify/each-of-hundreds-is-reported",
    names: /changes reported of a forget of 300 entries, each by its key/,
    createPlugin: () => {
      let waiting = 0;
      return reporting((sound, ...what) => {
        queueMicrotask(() => waiting--);
        if (++waiting <= 256) sound(...what);
      });
    },
  }),
  pluginMutant({
    id: "notify-namespace-dropped-in-silence",
    defect: "a forget of a whole namespace drops its table without a report",
    check: "notify/each-of-hundreds-is-reported",
    names: /changes reported of a forget of 300 entries, each by its namespace/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async forgetAll(...[selector, request]: Parameters<ReferencePlugin["forgetAll"]>) {
          const doomed = this.doomed(selector, request);
          const { rows } = this.partition(doomed[0]?.scope ?? { ...selector, namespace: selector.namespace });
          if (selector.subtree || doomed.length < 2 || rows.size > doomed.length || this.#byKeys(request))
            return super.forgetAll(selector, request);
          rows.clear();
          return this.result(doomed.length, request.op);
        }

        #byKeys({ filter }: Parameters<ReferencePlugin["onForget"]>[1]): boolean {
          return JSON.stringify(filter).includes("key_hash");
        }
      })(),
  }),
  pluginMutant({
    id: "notify-last-hundred-of-a-subtree",
    defect: "a forget of a subtree works in batches of a hundred, and only reports the last one",
    check: "notify/each-of-hundreds-is-reported",
    names: /changes reported of a forget of 300 entries, each by a namespace above/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async forgetAll(...[selector, request]: Parameters<ReferencePlugin["forgetAll"]>) {
          if (!selector.subtree) return super.forgetAll(selector, request);
          const doomed = this.doomed(selector, request);
          for (const row of doomed.slice(0, -100)) this.partition(row.scope).rows.delete(this.rowKey(row));
          for (const row of doomed.slice(-100)) this.drop(row, "forgotten", request.op.agent);
          return this.result(doomed.length, request.op);
        }
      })(),
  }),
];
