import type { Operation, PluginStatusResult } from "@membus/protocol/plugin";
import { rewriteRequests } from "../hosts/intercept.js";
import { without } from "../hosts/rewrite-entries.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

type Id = Pick<Operation, "tenant" | "agent" | "id">;

/** The reference plugin with a changed status of a store. */
function withStatus(change: (known: PluginStatusResult) => PluginStatusResult | undefined): ReferencePlugin {
  return new (class extends ReferencePlugin {
    override async onStatus(op: Id): Promise<PluginStatusResult | undefined> {
      const known = await super.onStatus(op);
      return known && change(known);
    }
  })();
}

/** The reference plugin that also finds other operations if the caller has none. */
function findingAlso(isSame: (asked: Id, found: Id) => boolean): ReferencePlugin {
  return new (class extends ReferencePlugin {
    override async onStatus(op: Id): Promise<PluginStatusResult | undefined> {
      const ids = [...this.operations.keys()].map((key) => JSON.parse(key) as [string, string, string]);
      const others = ids.map(([tenant, agent, id]) => ({ tenant, agent, id }));
      const found = (await super.onStatus(op)) && op;
      return super.onStatus(found ?? others.find((other) => isSame(op, other)) ?? op);
    }
  })();
}

export const retryStatusMutants: readonly Mutant[] = [
  pluginMutant({
    id: "retry-status-never-done",
    defect: "the status of a store is never done",
    check: "retry/status-of-a-store",
    names: /`done` of the status of a store/,
    createPlugin: () => withStatus((known) => ({ ...known, done: false })),
  }),
  pluginMutant({
    id: "retry-status-stays-queued",
    defect: 'a store with ack "queued" is `queued` forever',
    check: "retry/status-of-a-queued-store",
    names: /outcomes in the status of a store with ack "queued"/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async onStore(...[scope, request]: Parameters<ReferencePlugin["onStore"]>) {
          const { receipts, errors } = await super.onStore(scope, request);
          if (request.ack !== "queued") return { receipts, errors };
          const queued = receipts.map((receipt) => ({ ...receipt, outcome: "queued" as const }));
          const key = this.operationKey(request.op);
          const result = { receipts: queued, errors };
          this.operations.set(key, { ...this.operations.get(key)!, result: Promise.resolve(result) });
          return result;
        }
      })(),
  }),
  pluginMutant({
    id: "retry-status-without-errors",
    defect: "a status omits refused entries",
    check: "retry/status-tells-errors",
    names: /the status of a store with one refused entry/,
    createPlugin: () => withStatus((known) => ({ ...known, errors: [] })),
  }),
  pluginMutant({
    id: "retry-status-of-forgets",
    defect: "a status of a forget is the status of an empty store",
    check: "retry/status-of-nothing-known",
    names: /a status with the id of a forget/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async onStatus(op: Id): Promise<PluginStatusResult | undefined> {
          const isKnown = this.operations.has(this.operationKey(op));
          return (
            (await super.onStatus(op)) ?? (isKnown ? { receipts: [], errors: [], done: true } : undefined)
          );
        }
      })(),
  }),
  pluginMutant({
    id: "retry-status-of-anybody",
    defect: "a status finds the store with that id of any agent",
    check: "retry/status-of-another-agent",
    names: /a status of a store of another agent/,
    createPlugin: () => findingAlso((asked, { tenant, id }) => tenant === asked.tenant && id === asked.id),
  }),
  pluginMutant({
    id: "retry-status-of-any-tenant",
    defect: "a status finds the store with that id of the same agent name in any tenant",
    check: "retry/status-of-another-tenant",
    names: /a status of a store of the agent with the same name in another tenant/,
    createPlugin: () => findingAlso((asked, { agent, id }) => agent === asked.agent && id === asked.id),
  }),
  hostMutant({
    id: "retry-status-kind-ignored",
    defect: "the `kind` of a status is ignored",
    check: "retry/status-kind",
    names: /a status of an unknown kind: expected an error unsupported/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) =>
        fields.type === "memory/status/req" ? (without(fields, "kind") as typeof fields) : fields,
      ),
  }),
];
