import type { ErrorCode } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext, OwnHost } from "../../context.js";
import { foundIds } from "../../fixtures/found-ids.js";
import { ScriptedPlugin } from "../../host-route/scripted-plugin.js";
import type { MemoryAgent } from "../../memory-agent.js";

const TIERS = ["working", "episodic", "semantic"] as const;

/**
 * A host with access rules for the check's namespace and below.
 *
 * The first agent may do everything. The second may do everything except in the semantic tier, where it may
 * only use the namespace `open`. All other namespaces are forbidden to it.
 */
interface RuledHost {
  readonly own: OwnHost;
  readonly first: MemoryAgent;
  readonly second: MemoryAgent;
  readonly namespace: string;
  readonly elsewhere: string;
}

const RULED = "with another agent refused in the semantic tier except for one namespace";

async function startRuled(t: HostContext): Promise<RuledHost> {
  const { namespace } = t.caller;
  const agents = [t.agent({ agent: "second" }).agent];
  const plugins = Object.fromEntries(
    TIERS.map((tier) => [tier, new ScriptedPlugin({ ttl: true, subtree: true, list: true })]),
  );
  const own = await t.startHost({
    plugins,
    allowed: [
      { agents: [t.caller.agent] },
      { agents, tiers: ["working", "episodic"], namespaces: [namespace] },
      { agents, tiers: ["semantic"], namespaces: [`${namespace}/open`] },
    ],
  });
  const second = own.agent({ agent: "second" });
  return { own, first: own.caller, second, namespace, elsewhere: `${namespace}-elsewhere` };
}

const semantic = (id: string) => ({ key: { id }, content: id, tier: "semantic" }) as const;

/**
 * Stores two semantic entries of the first agent, one visible to the second agent, and one entry of the
 * second in each other tier.
 */
async function storeSome({ first, second, namespace }: RuledHost): Promise<void> {
  await first.store(semantic("hidden"));
  await first.store(semantic("open"), { namespace: `${namespace}/open` });
  await second.store([
    { key: { id: "working" }, content: "w", tier: "working" },
    { key: { id: "episodic" }, content: "e", tier: "episodic" },
  ]);
}

type Selection = Readonly<{ tier: "semantic" | null; namespace?: string }>;

const READS = ["retrieve", "list"] as const;

function ask(agent: MemoryAgent, operation: "retrieve" | "list" | "forget", selection: Selection) {
  return operation === "forget" ? agent.forget({ ...selection, all: true }) : agent[operation](selection);
}

/** Expects every entry in all tiers of the check's namespace to remain. */
async function expectAllLeft(host: RuledHost, after: string): Promise<void> {
  const { own, first, second, namespace } = host;
  const everywhere = { tier: "semantic", namespace: `${namespace}/**` } as const;
  const left = await first.retrieve(everywhere);
  own.expect.sameMembers(foundIds(left), ["hidden", "open"], `semantic entries left after ${after}`);
  for (const tier of ["working", "episodic"] as const) {
    const found = await second.retrieve({ tier });
    own.expect.equal(foundIds(found), [tier], `${tier} entries of the second agent left after ${after}`);
  }
}

const UNAUTHORIZED: ErrorCode = "unauthorized";

export const rulesChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/refused-tier-refuses-its-own-entries",
    clauses: ["NS-10"],
    provisions: ["own_plugins"],
    async run(t) {
      const { first, second, namespace } = await startRuled(t);
      const entries = TIERS.map((tier) => ({ key: { id: tier }, content: tier, tier }));
      const what = `a store of an entry for each tier ${RULED}`;
      const { errors, receipts } = await second.store(entries);
      t.expect.equal(
        errors.map(({ index, code, retryable }) => ({ index, code, retryable })),
        [{ index: 2, code: UNAUTHORIZED, retryable: false }],
        `errors of ${what}`,
      );
      t.expect.equal(
        receipts.map(({ index }) => index),
        [0, 1],
        `indexes of the receipts of ${what}`,
      );
      t.expect.equal(
        foundIds(await first.retrieve({ tier: "semantic" })),
        [],
        `semantic entries after ${what}`,
      );
      const open = await second.store(entries, { namespace: `${namespace}/open` });
      t.expect.equal(open.errors, [], `errors of ${what}, in that namespace`);
    },
  }),
  hostCheck({
    id: "host-plugins/refused-tier-that-is-named-is-refused",
    clauses: ["NS-10"],
    provisions: ["own_plugins"],
    async run(t) {
      const host = await startRuled(t);
      const { second, namespace } = host;
      await storeSome(host);
      for (const operation of [...READS, "forget"] as const) {
        for (const asked of [namespace, `${namespace}/**`]) {
          const what = `a ${operation} of the semantic tier in ${asked} ${RULED}, ${namespace}/open`;
          const asking = ask(second, operation, { tier: "semantic", namespace: asked });
          await t.expect.refused(asking, UNAUTHORIZED, what);
        }
      }
      await expectAllLeft(host, "forgets that were refused");
      for (const asked of [`${namespace}/open`, `${namespace}/open/**`]) {
        const found = await second.retrieve({ tier: "semantic", namespace: asked });
        t.expect.equal(foundIds(found), ["open"], `entries of ${asked} ${RULED}, that one`);
      }
    },
  }),
  hostCheck({
    id: "host-plugins/refused-tiers-are-left-out-of-reads",
    clauses: ["NS-11"],
    provisions: ["own_plugins"],
    async run(t) {
      const host = await startRuled(t);
      const { second, namespace, elsewhere } = host;
      await storeSome(host);
      for (const asked of [namespace, `${namespace}/**`]) {
        const what = `that names no tier, in ${asked} ${RULED}`;
        const { entries, total, degraded } = await second.retrieve({ tier: null, namespace: asked });
        t.expect.sameMembers(foundIds({ entries }), ["working", "episodic"], `entries of a retrieve ${what}`);
        t.expect.equal(
          { total, degraded },
          { total: 2, degraded: undefined },
          `refusals reported by a retrieve ${what}`,
        );
        const { items, ...rest } = await second.list({ tier: null, namespace: asked });
        t.expect.equal(
          items.map(({ value, count }) => ({ value, count })),
          [{ value: namespace, count: 2 }],
          `namespaces of a list ${what}`,
        );
        t.expect.equal(
          { total: rest.total, degraded: rest.degraded },
          { total: 1, degraded: undefined },
          `refusals reported by a list ${what}`,
        );
      }
      for (const operation of READS) {
        const what = `a ${operation} without a tier, with all tiers refused`;
        const asking = ask(second, operation, { tier: null, namespace: elsewhere });
        await t.expect.refused(asking, UNAUTHORIZED, what);
      }
    },
  }),
  hostCheck({
    id: "host-plugins/forget-where-a-tier-is-refused-is-refused",
    clauses: ["NS-11"],
    provisions: ["own_plugins"],
    async run(t) {
      const host = await startRuled(t);
      await storeSome(host);
      const what = `a forget that names no tier ${RULED}`;
      await t.expect.refused(ask(host.second, "forget", { tier: null }), UNAUTHORIZED, what);
      await expectAllLeft(host, what);
    },
  }),
];
