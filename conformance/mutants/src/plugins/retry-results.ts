import type { Operation, PluginForgetRequest, PluginStoreRequest } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

/** The reference plugin, which takes some stores and forgets for other operations than they are. */
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

/** An operation that none was before. */
function anew(op: Operation, count: number): Operation {
  return { ...op, id: `${op.id} ${count}` };
}

export const retryResultMutants: readonly Mutant[] = [
  pluginMutant({
    id: "retry-stores-again",
    defect: "a store that is repeated is carried out again",
    check: "retry/store-gets-its-first-result",
    names: /the result of a store that is repeated/,
    createPlugin: () => taking((op, request, count) => (isStore(request) ? anew(op, count) : op)),
  }),
  pluginMutant({
    id: "retry-forgets-again",
    defect: "a forget that is repeated is carried out again",
    check: "retry/forget-gets-its-first-result",
    names: /the result of a forget that is repeated/,
    createPlugin: () => taking((op, request, count) => (isStore(request) ? op : anew(op, count))),
  }),
  pluginMutant({
    id: "retry-compare-and-set-conflicts",
    defect: "a compare-and-set that is repeated is compared again, and refused with `conflict`",
    check: "retry/compare-and-set-gets-its-first-result",
    names: /the result of a compare-and-set that is repeated/,
    createPlugin: () =>
      taking((op, request, count) => {
        const isConditional = isStore(request) && request.entries.some((item) => item.if_revision != null);
        return isConditional ? anew(op, count) : op;
      }),
  }),
  pluginMutant({
    id: "retry-other-store-gets-first-result",
    defect: "a store with an id that was used is answered with the first result, whatever it says",
    check: "retry/other-store-is-conflict",
    names: /codes of a store with the id of another store/,
    createPlugin: () => taking((op, request) => (isStore(request) ? { ...op, digest: "a store" } : op)),
  }),
  pluginMutant({
    id: "retry-digest-without-tags",
    defect: "what makes a store the same is its keys and contents alone",
    check: "retry/other-store-is-conflict",
    names: /codes of a store with the id of a store that differs in tags alone/,
    createPlugin: () =>
      taking((op, request) => {
        if (!isStore(request)) return op;
        return { ...op, digest: JSON.stringify(request.entries.map(({ key, content }) => [key, content])) };
      }),
  }),
  pluginMutant({
    id: "retry-other-forget-gets-first-result",
    defect: "a forget with an id that was used is answered with the first result, whatever it says",
    check: "retry/other-forget-is-conflict",
    names: /codes of a forget with the id of another forget/,
    createPlugin: () => taking((op, request) => (isStore(request) ? op : { ...op, digest: "a forget" })),
  }),
  pluginMutant({
    id: "retry-stores-and-forgets-apart",
    defect: "stores and forgets have ids of their own, and so the id of a forget may store something",
    check: "retry/other-forget-is-conflict",
    names: /codes of a store with the id of a forget/,
    createPlugin: () => taking((op, request) => (isStore(request) ? op : { ...op, id: `forget ${op.id}` })),
  }),
  pluginMutant({
    id: "retry-remembered-for-five-minutes",
    defect: "results are remembered for 300 seconds",
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
    defect: "which operations are done is remembered by id alone, whoever's they are",
    check: "retry/ids-belong-to-their-agent",
    names: /author of what the second agent stored with the id and body of another's store/,
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
