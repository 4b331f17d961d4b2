import { type Check, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import { inBatches } from "../../../fixtures/in-batches.js";

/** Names in ascending order of UTF-16 code units, in which U+1F98A comes before U+FF5E. */
const NAMES = ["A/b", "Zoe", "a", "a/b", "a:b", "zoe", "zoë", "🦊", "～"];
const PRIVATE = ["working", "episodic"] as const;

type Request = Partial<Parameters<NonNullable<PluginContext["plugin"]["onAgents"]>>[0]>;

/** Returns the names that a plugin lists in the tenant of the first agent, at most 1,000. */
async function listed({ plugin, caller }: PluginContext, request: Request = {}): Promise<readonly string[]> {
  const { agents } = await plugin.onAgents!({ tenant: caller.tenant, limit: 1_000, ...request });
  return agents;
}

function named(t: PluginContext, agent: string) {
  return t.agent({ named: { agent } });
}

export const agentsPluginChecks: readonly Check[] = [
  pluginCheck({
    id: "agents/each-with-entries-once",
    clauses: ["AGENT-2", "PLUG-29"],
    features: ["agents"],
    tiers: PRIVATE,
    async run(t) {
      const { expect, entry, agent } = t;
      expect.equal(await listed(t), [], "agents of a tenant without entries");
      for (const name of NAMES.toReversed()) await named(t, name).store([entry(), entry()]);
      await agent({ named: { agent: "a" }, below: "x", session: "other" }).store(entry());
      await named(t, "a reader").retrieve();
      const what = `after stores of ${NAMES.join(", ")}`;
      expect.equal(await listed(t), NAMES, `agents of a tenant ${what}`);
      expect.equal(await listed(t, { after: "a/b" }), NAMES.slice(4), `agents after a/b ${what}`);
      expect.equal(await listed(t, { after: "b" }), NAMES.slice(5), `agents after b ${what}`);
      expect.equal(await listed(t, { after: "Zoe", limit: 2 }), ["a", "a/b"], `2 agents after Zoe ${what}`);
      expect.equal(await listed(t, { after: "～" }), [], `agents after the last ${what}`);
      await agent({ tenant: "second", named: { agent: "of another tenant" } }).store(entry());
      expect.equal(await listed(t), NAMES, "agents of a tenant after a store in another tenant");
    },
  }),
  pluginCheck({
    id: "agents/hundreds-on-pages",
    clauses: ["PLUG-29"],
    features: ["agents"],
    tiers: PRIVATE,
    async run(t) {
      const names = Array.from({ length: 300 }, (_, at) => `agent-${String(at).padStart(3, "0")}`);
      await inBatches(names, (name) => named(t, name).store(t.entry()));
      const pages: (readonly string[])[] = [];
      for (let last: string | undefined; pages.length < 4; last = pages.at(-1)!.at(-1)) {
        pages.push(await listed(t, { limit: 128, ...(last !== undefined && { after: last }) }));
        if (pages.at(-1)!.length < 128) break;
      }
      const lengths = pages.map(({ length }) => length);
      t.expect.equal(lengths, [128, 128, 44], "agents on each page of 128, of 300 agents");
      t.expect.equal(pages.flat(), names, "agents on all pages of 128, of 300 agents");
    },
  }),
  pluginCheck({
    id: "agents/none-without-entries",
    clauses: ["AGENT-3"],
    features: ["agents"],
    tiers: PRIVATE,
    async run(t) {
      const { entry, expect, agent, maintain } = t;
      const [gone, kept] = [named(t, "gone"), named(t, "kept")];
      const below = agent({ named: { agent: "kept" }, below: "x" });
      for (const one of [gone, kept, below]) await one.store([entry(), entry()]);
      await gone.forget({ all: true });
      await kept.forget({ all: true });
      await maintain();
      const what = "after a forget of all entries of one agent and of one namespace of another";
      expect.equal(await listed(t), ["kept"], `agents ${what}`);
      await gone.store(entry());
      expect.equal(await listed(t), ["gone", "kept"], `agents ${what}, and a store of the former`);
    },
  }),
  pluginCheck({
    id: "agents/none-with-only-expired-entries",
    clauses: ["AGENT-3"],
    features: ["agents", "ttl"],
    tiers: PRIVATE,
    async run(t) {
      await named(t, "expired").store(t.entry({ ttl: 1 }));
      await named(t, "kept").store([t.entry({ ttl: 1 }), t.entry({ ttl: 3_600 })]);
      await t.passTime(2);
      await t.maintain();
      t.expect.equal(await listed(t), ["kept"], "agents 2 s after stores with a ttl of 1 s and of an hour");
    },
  }),
  pluginCheck({
    id: "agents/the-same-after-a-restart",
    clauses: ["AGENT-3"],
    features: ["agents", "durable"],
    tiers: PRIVATE,
    async run(t) {
      for (const name of ["gone", "kept", "silent"]) await named(t, name).store(t.entry());
      await t.maintain();
      await named(t, "gone").forget({ all: true });
      await t.reopen();
      await t.maintain();
      t.expect.equal(
        await listed(t),
        ["kept", "silent"],
        "agents after a forget of one of 3, close and open",
      );
    },
  }),
];
