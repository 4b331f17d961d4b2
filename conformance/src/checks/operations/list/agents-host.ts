import { agentToken, type Message } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../../catalogue/check.js";
import type { HostContext } from "../../../context.js";
import { accepted, listOf, oneOfEach, refused, request } from "../../../fixtures/bare-messages.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import { ScriptedPlugin } from "../../../host-route/scripted-plugin.js";

const PRIVATE = ["working", "episodic"] as const;
/** More pages than any tested host has. */
const PAGES_MAX = 5_000;

function subjectOf({ prefix, caller }: HostContext, operation = "memory.agents.req"): string {
  return `${prefix}.${caller.tenant}.$OPERATOR.${operation}`;
}

function agentsRequest(fields: object = {}): Message {
  return { type: "memory/agents/req", id: newRequestId(), ...fields };
}

/** Returns the reply to an operator. */
async function page(t: HostContext, fields: object = {}): Promise<Message> {
  const what = `a request of an operator with ${JSON.stringify(fields)}`;
  return accepted(t, what, "agents", agentsRequest(fields), { subject: subjectOf(t) });
}

/** Returns the agents of all pages, and the number of pages. */
async function allPages(t: HostContext, limit: number) {
  const agents: Message[] = [];
  let [pageCount, cursor]: [number, unknown] = [0, undefined];
  do {
    const reply = await page(t, { limit, ...(cursor !== undefined && { cursor }) });
    agents.push(...listOf(reply.agents));
    cursor = reply.cursor;
    pageCount++;
  } while (cursor !== undefined && pageCount < PAGES_MAX);
  return { agents, pageCount };
}

/** Returns a plugin with 150 agents, or with the given result. */
function withAgents(agents: readonly unknown[]): ScriptedPlugin {
  const plugin = new ScriptedPlugin({ agents: true });
  plugin.script = {
    onAgents: async ({ after = "", limit }) => ({
      agents: (agents as string[]).filter((name) => typeof name !== "string" || name > after).slice(0, limit),
    }),
  };
  return plugin;
}

const MANY = Array.from({ length: 150 }, (_, at) => `agent ${String(at).padStart(3, "0")}`);

/** Invalid results of a plugin. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  "names out of order": ["b", "a"],
  "a name twice": ["a", "a"],
  "an empty name": [""],
  "a number for a name": [1],
};

export const agentsHostChecks: readonly Check[] = [
  hostCheck({
    id: "agents/only-for-operators",
    clauses: ["AGENT-1"],
    features: ["agents"],
    async run(t) {
      for (const token of [t.caller.agent, agentToken("$OPERATOR")]) {
        const subject = `${t.prefix}.${t.caller.tenant}.${token}.memory.agents.req`;
        await refused(t, `a list of agents on ${subject}`, "agents", agentsRequest(), "unauthorized", {
          subject,
        });
      }
      const bodies = oneOfEach(t);
      for (const operation of ["store", "retrieve", "forget", "status", "ping"] as const) {
        const subject = subjectOf(t, operation === "ping" ? "ping" : `memory.${operation}.req`);
        const sent = request(t, operation, bodies[operation]);
        await refused(t, `a ${operation} on ${subject}`, operation, sent, "invalid_message", { subject });
      }
      const list = { type: "memory/list/req", id: newRequestId(), namespace: "**" };
      const subject = subjectOf(t, "memory.list.req");
      await refused(t, `a list on ${subject}`, "list", list, "invalid_message", { subject });
    },
  }),
  hostTierCheck({
    id: "agents/an-operator-lists-all",
    clauses: ["AGENT-2", "AGENT-4"],
    features: ["agents"],
    tiers: PRIVATE,
    // Other checks may add agents between two pages.
    turn: "alone",
    async run(t) {
      const { expect, entry, tier } = t;
      const own = [t.caller, t.agent({ agent: "second" })];
      for (const one of own) await one.store(entry());
      const { agents } = await allPages(t, 1_000);
      for (const { agent } of own) {
        const found = agents.filter(({ name }) => name === agent);
        expect.equal(found.length, 1, `how often the agent ${agent}, which stored an entry, is listed`);
        const tiers = found[0]!.tiers as readonly string[];
        expect.holds(tiers.includes(tier), `tiers of the agent ${agent}`, tiers, `with ${tier}`);
      }
      const names = agents.map(({ name }) => `${name}`);
      expect.equal(names, [...new Set(names)].sort(), "names of all agents");
      const fields = [...new Set(agents.flatMap((one) => Object.keys(one)))].sort();
      expect.equal(fields, ["name", "tiers"], "fields of the listed agents");
      const single = await allPages(t, 1);
      expect.equal(
        single.agents.map(({ name }) => name),
        names,
        "names on all pages of one agent",
      );
      expect.equal(single.pageCount, names.length, "number of pages of one agent");
      for (const wrong of ["=***", "a b", "a".repeat(65)]) {
        const sent = agentsRequest({ cursor: wrong });
        await refused(t, `a cursor ${wrong}`, "agents", sent, "schema_violation", { subject: subjectOf(t) });
      }
    },
  }),
  hostCheck({
    id: "agents/tiers-are-merged",
    clauses: ["AGENT-2", "AGENT-4"],
    provisions: ["own_plugins"],
    async run({ startHost, expect }) {
      const plugins = { working: withAgents(["a", "c"]), episodic: withAgents(["b", "c", "d"]) };
      const host = await startHost({ plugins });
      const first = await page(host, { limit: 3 });
      const expected = [
        { name: "a", tiers: ["working"] },
        { name: "b", tiers: ["episodic"] },
        { name: "c", tiers: ["working", "episodic"] },
      ];
      expect.equal(first.agents, expected, "agents on the first page of 3, of two tiers");
      const rest = await page(host, { limit: 3, cursor: first.cursor });
      expect.equal(rest.agents, [{ name: "d", tiers: ["episodic"] }], "agents on the next page");
      expect.equal(rest.cursor, undefined, "`cursor` of the last page");
      plugins.episodic.script = withAgents(MANY).script;
      expect.equal(listOf((await page(host)).agents).length, 100, "agents on a page without a limit");
    },
  }),
  hostCheck({
    id: "agents/tiers-that-cannot-are-named",
    clauses: ["AGENT-5", "PLUG-12"],
    provisions: ["own_plugins"],
    async run({ startHost, expect }) {
      const plugins = { working: new ScriptedPlugin({}), episodic: withAgents(["a"]) };
      const host = await startHost({ plugins });
      const reply = await page(host);
      const what = "of two tiers, with `agents` declared only by the episodic one";
      expect.equal(reply.agents, [{ name: "a", tiers: ["episodic"] }], `agents ${what}`);
      const named = listOf(reply.degraded).map(({ tier, code }) => [tier, code]);
      expect.equal(named, [["working", "unsupported"]], `tier and code in \`degraded\` ${what}`);
      const subject = subjectOf(host);
      for (const [wrong, agents] of Object.entries(WRONG)) {
        plugins.episodic.script = { onAgents: async () => ({ agents: agents as string[] }) };
        const request = `a list of agents of a plugin that returns ${wrong}`;
        const codes = ["runtime_error", "unsupported"] as const;
        await refused(host, request, "agents", agentsRequest(), codes, { subject });
      }
      const without = await startHost({ plugins: { episodic: new ScriptedPlugin({}) } });
      const request = "a list of agents of a host without `agents`";
      await refused(without, request, "agents", agentsRequest(), "unsupported", {
        subject: subjectOf(without),
      });
    },
  }),
];
