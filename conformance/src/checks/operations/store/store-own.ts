import { keyHash } from "@membus/protocol";
import type { StoreItem } from "@membus/protocol/plugin";
import { type Check, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import { newRequestId } from "../../../fixtures/request-id.js";

const AT_ONCE = ["first", "second", "third", "fourth"];

/** Returns an item of a store as a host passes it on. */
export function item(id: string, content: string, index = 0): StoreItem {
  const key = { id };
  return { index, key, key_hash: keyHash(key), content, ttl: null, expires_at: null };
}

/** Stores entries with `own_only` and returns the error code of each, by index. */
export async function storeOwn(t: PluginContext, agent: string, entries: readonly StoreItem[]) {
  const { tenant } = t.caller;
  const op = { tenant, agent, id: newRequestId(), digest: newRequestId(), accepted_at: t.now() };
  const request = { op, ack: "stored", entries, own_only: true } as const;
  const call = `onStore with own_only, by ${agent}`;
  const { errors } = await t.trace.record(call, request, () => t.plugin.onStore(t.scope(), request));
  return entries.map(({ index }) => errors.find((error) => error.index === index)?.error.code ?? "stored");
}

export const storeOwnChecks: readonly Check[] = [
  pluginCheck({
    id: "store/own-only-leaves-entries-of-others",
    clauses: ["PLUG-23"],
    features: ["own_only"],
    async run(t) {
      const [one, other] = [t.caller.agent, t.agent({ agent: "second" }).agent];
      const own = await storeOwn(t, one, [item("a", "one")]);
      const again = await storeOwn(t, one, [item("a", "two")]);
      t.expect.equal([...own, ...again], ["stored", "stored"], `two stores of a key with own_only by ${one}`);
      const fates = await storeOwn(t, other, [item("a", "three"), item("b", "four", 1)]);
      const what = `a store with own_only by ${other} over the entry of ${one}, and of a new one`;
      t.expect.equal(fates, ["unauthorized", "stored"], `results of ${what}`);
      const same = await storeOwn(t, other, [item("a", "two")]);
      t.expect.equal(same, ["unauthorized"], `result of a store by ${other} over an entry of ${one}`);
      const { entries } = await t.caller.retrieve({ order: "oldest" });
      const found = entries.map(({ key, content, author }) => [key.id, content, author]);
      const wanted = [
        ["a", "two", one],
        ["b", "four", other],
      ];
      t.expect.equal(found, wanted, `key, content and author of the entries after ${what}`);
    },
  }),
  pluginCheck({
    id: "store/own-only-when-stored-at-once",
    clauses: ["PLUG-23"],
    features: ["own_only"],
    async run(t) {
      for (let round = 0; round < 10; round++) {
        const id = `round ${round}`;
        const stores = AT_ONCE.map((agent) => storeOwn(t, agent, [item(id, agent)]));
        const fates = (await Promise.all(stores)).flat();
        const winners = AT_ONCE.filter((_, at) => fates[at] === "stored");
        t.expect.equal(
          winners.length,
          1,
          `winners among four agents that store a new key with own_only concurrently`,
        );
        const { entries } = await t.caller.retrieve({ keys: [{ id }] });
        t.expect.equal(entries[0]?.author, winners[0], "author of that entry, compared with the winner");
      }
    },
  }),
];
