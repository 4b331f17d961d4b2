import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

type Report = Parameters<ReferencePlugin["report"]>;

/** The reference plugin, which reports something else of what goes. */
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
    defect: "a forget of several entries is reported for the first of them",
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
    defect: "a forget is reported for the author of an entry, not for the agent that forgot it",
    check: "notify/forgotten-is-reported",
    names: /agents that the changes of a forget are reported for/,
    tier: "semantic",
    createPlugin: () => reporting((sound, row, action) => sound(row, action, row.author)),
  }),
  pluginMutant({
    id: "notify-expires-in-silence",
    defect: "what has ended is dropped without a report",
    check: "notify/expired-is-reported",
    names: /changes reported 1 s after the end of one of 3 entries/,
    createPlugin: () =>
      reporting((sound, row, action, agent) => action !== "expired" && sound(row, action, agent)),
  }),
  pluginMutant({
    id: "notify-expired-for-nobody",
    defect: "what has ended is reported for the plugin itself, not for the author",
    check: "notify/expired-is-reported",
    names: /agents that changes are reported for 1 s after the end/,
    createPlugin: () =>
      reporting((sound, row, action, agent) =>
        sound(row, action, action === "expired" ? "reference" : agent),
      ),
  }),
  pluginMutant({
    id: "notify-dry-run-too",
    defect: "a dry run reports what it counts",
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
];
