import { compileCriteria, keyHash, LIMITS, type MemoryKey } from "@membus/protocol";
import { type Check, pluginCheck } from "../../catalogue/check.js";
import type { PluginContext } from "../../context.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { compileForget, compileRetrieve, compileStore } from "../../plugin-route/compile-request.js";

/** Changes every part of an object, as a careless caller may do after a call. Frozen parts stay. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  if (ArrayBuffer.isView(value)) {
    if (value instanceof Float32Array) value.fill(7);
    return;
  }
  for (const part of Object.values(value)) spoil(part);
  if (Array.isArray(value)) {
    value.reverse();
    value.push("spoilt");
    return;
  }
  for (const [name, part] of Object.entries(value)) {
    if (typeof part === "string") Object.assign(value, { [name]: `spoilt ${part}` });
    else if (typeof part === "number") Object.assign(value, { [name]: part + 1_000 });
    else if (typeof part === "boolean") Object.assign(value, { [name]: !part });
  }
  Object.assign(value, { spoilt: true });
}

/** Requests to the methods of a plugin, with objects that the check can spoil. */
function calls(t: PluginContext) {
  const { caller, tier, plugin } = t;
  const { tenant, agent, namespace } = caller;
  const scope = t.scope();
  const selector = { ...scope, subtree: false };
  const accepted = () => ({ tenant, agent, accepted_at: t.now() });
  return {
    async store(entries: readonly object[], id = newRequestId()) {
      const message = structuredClone({ type: "memory/store/req", id, namespace, entries });
      const request = compileStore(message, tier, accepted());
      return { request, result: await plugin.onStore(scope, request) };
    },
    async retrieve() {
      const message = { type: "memory/retrieve/req", namespace, limit: 10, include: ["context"] };
      const request = compileRetrieve(message, t.now(), undefined);
      return { request, result: await plugin.onRetrieve(selector, request) };
    },
    async forget(keys: readonly MemoryKey[], id = newRequestId()) {
      const message = structuredClone({ type: "memory/forget/req", id, namespace, tier, keys });
      const request = compileForget(message, accepted());
      return { request, result: await plugin.onForget(selector, request) };
    },
    async status(id: string) {
      return plugin.onStatus({ tenant, agent, id });
    },
    async list() {
      const request = { filter: compileCriteria({}), field: "tags", values_max: LIMITS.listValues };
      return { request, result: await plugin.onList!(selector, request) };
    },
  };
}

/** Returns a copy of a result without the times that reading changes. */
function copied(value: unknown): unknown {
  const isOfReading = (name: string) => name === "accessed" || name === "took_ms";
  return JSON.parse(JSON.stringify(value, (name, part) => (isOfReading(name) ? undefined : part)));
}

/** Objects that a plugin and its caller pass to each other. */
export const lifecycleObjectsChecks: readonly Check[] = [
  pluginCheck({
    id: "lifecycle/objects-are-not-shared",
    clauses: ["PLUG-25"],
    async run(t) {
      const { expect, features, entry } = t;
      const { store, retrieve, forget, status, list } = calls(t);
      const storeId = newRequestId();
      const full = {
        content: { said: { deep: ["one", "two"] } },
        tags: ["red", "green"],
        metadata: { list: ["a", "b"], number: 5 },
        context: "nearby",
        group: "one",
      };
      const one = entry({ key: { id: "one" }, ...full });
      const stored = await store([one, entry({ key: { id: "two" } })], storeId);
      const found = (await retrieve()).result;
      expect.equal(found.entries.length, 2, "entries of a retrieve after two stores");
      const first = copied(found);
      const receipts = copied(stored.result);
      spoil(stored.request);
      spoil(stored.result);
      const expectSame = async (after: string) => {
        const { result } = await retrieve();
        expect.equal(copied(result), first, `entries that a retrieve returns after a change of ${after}`);
        expect.equal(
          copied(await status(storeId)),
          { ...(receipts as object), done: true },
          `status of the store after a change of ${after}`,
        );
        return result;
      };
      await expectSame("the request and the result of the store");
      const read = await retrieve();
      spoil(read.result);
      spoil(read.request);
      await expectSame("the request and the result of a retrieve");
      spoil(await status(storeId));
      await expectSame("the result of a status");
      if (features.list) {
        const listed = await list();
        const before = copied(listed.result);
        spoil(listed.result);
        spoil(listed.request);
        expect.equal(
          copied((await list()).result),
          before,
          "values of a list after a change of the same list",
        );
      }
      const forgotten = await forget([{ id: "two" }]);
      spoil(forgotten.request);
      spoil(forgotten.result);
      const left = (await retrieve()).result.entries.map(({ key_hash }) => key_hash);
      expect.equal(left, [keyHash({ id: "one" })], "key hashes after a change of the request of a forget");
    },
  }),
];
