import {
  agentToken,
  DEFAULTS,
  type DecodedRequest,
  MemoryError,
  type MemoryTier,
  parseAgentToken,
} from "@membus/protocol";
import type { PluginAgentsRequest } from "@membus/protocol/plugin";
import { missingFeature, type PluginRunner, tierNotServedError } from "../plugin-calls/index.js";
import type { Reply } from "../replies/index.js";
import { degradedOf, queryTiers, resultsOf, type TierAnswer } from "./read-tiers.js";
import type { RequestContext, Runtime } from "./runtime.js";

type AgentsRequest = Extract<DecodedRequest, { type: "memory/agents/req" }>;

/** Tiers in which every agent has separate partitions. */
const PRIVATE_TIERS = ["working", "episodic"] as const satisfies readonly MemoryTier[];
const EVERYWHERE = { namespace: "", subtree: true };

interface ListedAgent {
  readonly name: string;
  readonly tiers: MemoryTier[];
}

/**
 * Returns one page of the agents with private entries, by name, for an operator. No state is kept for the
 * next page. A tier that fails or does not declare `agents` is named in `degraded` (clause AGENT-5).
 * @throws {MemoryError} `unauthorized` for an agent (clause AGENT-1).
 */
export async function agents(
  runtime: Runtime,
  context: RequestContext,
  { cursor, limit: given, requires }: AgentsRequest,
): Promise<Reply> {
  if (!context.isOperator) {
    throw new MemoryError("unauthorized", "only an operator may list the agents of a tenant");
  }
  const limit = given ?? DEFAULTS.listLimit;
  const after = cursor ? lastNameOf(cursor) : undefined;
  // One more than the page shows whether agents follow.
  const request: PluginAgentsRequest = {
    tenant: context.caller.tenant,
    limit: limit + 1,
    ...(after !== undefined && { after }),
  };
  const answers = await queryTiers(
    runtime,
    context,
    {
      runners: privateTiers(runtime),
      selected: EVERYWHERE,
      missingFeature: (tier, features) => missingFeature(tier, features, ["agents", ...(requires ?? [])]),
    },
    (runner, _, latest) => runner.agents(request, latest),
  );
  resultsOf(answers);
  return pageReply(mergeAgents(answers), limit, degradedOf(answers));
}

/** @throws {MemoryError} `unsupported` if the host serves no private tier. */
function privateTiers({ tiers }: Runtime): readonly PluginRunner[] {
  const runners = PRIVATE_TIERS.flatMap((tier) => tiers.get(tier) ?? []);
  if (runners.length === 0) throw tierNotServedError("episodic");
  return runners;
}

/** Returns the agents of all tiers by name, each once. */
function mergeAgents(answers: readonly TierAnswer<{ readonly agents: readonly string[] }>[]): ListedAgent[] {
  const found = new Map<string, ListedAgent>();
  for (const { tier, outcome } of answers) {
    for (const name of outcome.ok ? outcome.value.agents : []) {
      const agent = found.get(name) ?? { name, tiers: [] };
      agent.tiers.push(tier);
      found.set(name, agent);
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function pageReply(found: readonly ListedAgent[], limit: number, degraded: object[] | undefined): Reply {
  const pageOf = (count: number) => {
    const last = found.length > count ? found[count - 1] : undefined;
    return { agents: found.slice(0, count), cursor: last && agentToken(last.name), degraded };
  };
  const fields = pageOf(limit);
  return { fields, counts: { returned: fields.agents.length }, shorten: pageOf };
}

/** A cursor is the token of the last agent on the page before. */
function lastNameOf(cursor: string): string {
  const name = parseAgentToken(cursor);
  if (name !== undefined) return name;
  throw new MemoryError("schema_violation", "invalid cursor: pass the `cursor` of a reply", {
    path: "cursor",
  });
}
