import type { Operation, PluginForgetRequest, PluginStoreRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

/** The reference plugin that treats some stores and forgets as other operations. */
function taking(
  change: (op: Operation, request: PluginStoreRequest | PluginForgetRequest, count: number) => Operation,
): ReferencePlugin {
  let count = 0;
  return new (class extends ReferencePlugin {
    override onStore(...[scope, request]: Parameters<ReferencePlugin["onStore"]>) {
      return super.onStore(scope, { ...request, op: change(request.op, request, ++count) });
    }

    override onForget(...[selector, request]: Parameters<ReferencePlugin["onForget"]>) {
      return super.onForget(selector, { ...request, op: change(request.op, request, ++count) });
    }
  })();
}

function isStore(request: PluginStoreRequest | PluginForgetRequest): request is PluginStoreRequest {
  return "entries" in request;
}

/** Returns an operation with a new id. */
function withNewId(op: Operation, count: number): Operation {
  return { ...op, id: `${op.id} ${count}` };
}

export const retryResultMutants: readonly Mutant[] = [
  pluginMutant({
    id: "retry-stores-again",
    defect: "a repeated store is executed again",
    check: "retry/store-gets-its-first-result",
    names: /the result of a repeated store/,
    createPlugin: () => taking((op, request, count) => (isStore(request) ? withNewId(op, count) : op)),
  }),
  pluginMutant({
    id: "retry-forgets-again",
    defect: "a repeated forget is executed again",
    check: "retry/forget-gets-its-first-result",
    names: /the result of a repeated forget/,
    createPlugin: () => taking((op, request, count) => (isStore(request) ? op : withNewId(op, count))),
  }),
  pluginMutant({
    id: "retry-compare-and-set-conflicts",
    defect: "a repeated compare-and-set is compared again, and refused with `conflict`",
    check: "retry/compare-and-set-gets-its-first-result",
    names: /the result of a repeated compare-and-set/,
    createPlugin: () =>
      taking((op, request, count) => {
        const isConditional = isStore(request) && request.entries.some((item) => item.if_revision != null);
        return isConditional ? withNewId(op, count) : op;
      }),
  }),
  pluginMutant({
    id: "retry-other-store-gets-first-result",
    defect: "a store with a used id is answered with the first result, even with another body",
    check: "retry/other-store-is-conflict",
    names: /codes of a store with the id of another store/,
    createPlugin: () => taking((op, request) => (isStore(request) ? { ...op, digest: "a store" } : op)),
  }),
  pluginMutant({
    id: "retry-digest-without-tags",
    defect: "stores are equal if only their keys and contents are equal",
    check: "retry/other-store-is-conflict",
    names: /codes of a store with the id of a store that differs only in tags/,
    createPlugin: () =>
      taking((op, request) => {
        if (!isStore(request)) return op;
        return { ...op, digest: JSON.stringify(request.entries.map(({ key, content }) => [key, content])) };
      }),
  }),
  pluginMutant({
    id: "retry-other-forget-gets-first-result",
    defect: "a forget with a used id is answered with the first result, even with another body",
    check: "retry/other-forget-is-conflict",
    names: /codes of a forget with the id of another forget/,
    createPlugin: () => taking((op, request) => (isStore(request) ? op : { ...op, digest: "a forget" })),
  }),
  pluginMutant({
    id: "retry-stores-and-forgets-apart",
    defect: "stores and forgets have separate ids, so the id of a forget can be used for a store",
    check: "retry/other-forget-is-conflict",
    names: /codes of a store with the id of a forget/,
    createPlugin: () => taking((op, request) => (isStore(request) ? op : { ...op, id: `forget ${op.id}` })),
  }),
  pluginMutant({
    id: "retry-remembered-for-five-minutes",
    defect: "results are kept for 300 seconds",
    check: "retry/remembered-for-ten-minutes",
    names: /the result of a store that is repeated after 598 s/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async once<Result>(op: Operation, work: () => Promise<Result>): Promise<Result> {
          const earlier = this.operations.get(this.operationKey(op));
          if (earlier && this.now() - earlier.at > 300) this.operations.delete(this.operationKey(op));
          return super.once(op, work);
        }
      })(),
  }),
  pluginMutant({
    id: "retry-ids-shared-by-agents",
    defect: "results are identified by id, regardless of the agent",
    check: "retry/ids-belong-to-their-agent",
    names: /author of the entry that the second agent stored with the id and body of another's store/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override operationKey({ tenant, id }: Pick<Operation, "tenant" | "id">): string {
          return JSON.stringify([tenant, id]);
        }
      })(),
  }),
  pluginMutant({
    id: "retry-ids-shared-by-tenants",
    defect: "agents of the same name in two tenants share their ids",
    check: "retry/ids-belong-to-their-tenant",
    names: /entries of a tenant after a store with the id and body of a store in another tenant/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override operationKey({ agent, id }: Pick<Operation, "agent" | "id">): string {
          return JSON.stringify([agent, id]);
        }
      })(),
  }),
];
