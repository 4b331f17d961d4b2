import { type Check, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import { item, storeOwn } from "./store-own.js";

/** Names that faulty code takes for the same agent. */
const nearNames = (name: string): readonly string[] => [
  name.toUpperCase(),
  ` ${name}`,
  `${name} `,
  `${name}2`,
  name.slice(0, -1),
];

/** Stores the key with `own_only` for several agents in turn. Only the last one may succeed. */
async function expectOwner(
  t: PluginContext,
  id: string,
  { owner, others }: { readonly owner: string; readonly others: readonly string[] },
  why: string,
): Promise<void> {
  for (const agent of others) {
    const [fate] = await storeOwn(t, agent, [item(id, `by ${agent}`)]);
    t.expect.equal(
      fate,
      "unauthorized",
      `result of a store with own_only by ${JSON.stringify(agent)} over an entry ${why}`,
    );
  }
  const [fate] = await storeOwn(t, owner, [item(id, `again by ${owner}`)]);
  t.expect.equal(
    fate,
    "stored",
    `result of a store with own_only by its author ${owner} over an entry ${why}`,
  );
  const { entries } = await t.caller.retrieve({ keys: [{ id }] });
  const found = entries.map(({ author, content }) => [author, content]);
  t.expect.equal(found, [[owner, `again by ${owner}`]], `author and content of an entry ${why}`);
}

export const storeOwnEdgeChecks: readonly Check[] = [
  pluginCheck({
    id: "store/own-only-goes-by-the-last-author",
    clauses: ["PLUG-23", "ENTRY-16", "UPD-5"],
    features: ["own_only", "shared"],
    async run(t) {
      const { caller, entry, features } = t;
      const second = t.agent({ agent: "second" });
      const [one, two] = [caller.agent, second.agent];
      const stored = (id: string, fields = {}) =>
        entry({ key: { id }, content: "first", source: "s", ...fields });
      await caller.store([
        stored("updated"),
        stored("same"),
        stored("claimed", { source: two }),
        stored("taken back"),
      ]);
      await caller.store([stored("forgotten"), stored("near")]);
      await second.store([stored("updated", { content: "second" }), stored("same")]);
      await second.store(stored("taken back", { content: "second" }));
      await caller.store(stored("taken back", { content: "third" }));
      await caller.forget({ keys: [{ id: "forgotten" }] });
      if (features.ttl) {
        await caller.store(stored("ended", { ttl: 1 }));
        await t.passTime(2);
        await expectOwner(t, "ended", { owner: two, others: [] }, "that has expired");
      }
      for (const when of features.durable ? ["", ", after a restart"] : [""]) {
        if (when !== "") await t.reopen();
        await expectOwner(t, "updated", { owner: two, others: [one] }, `that another agent updated${when}`);
        await expectOwner(
          t,
          "same",
          { owner: one, others: [two] },
          `that another agent stored unchanged${when}`,
        );
        await expectOwner(
          t,
          "claimed",
          { owner: one, others: [two] },
          `with the other agent as source${when}`,
        );
        await expectOwner(
          t,
          "taken back",
          { owner: one, others: [two] },
          `that its creator updated last${when}`,
        );
        await expectOwner(
          t,
          "near",
          { owner: one, others: nearNames(one) },
          `with an author of a similar name${when}`,
        );
        await expectOwner(t, "forgotten", { owner: two, others: [] }, `with a key that was forgotten${when}`);
      }
    },
  }),
];
