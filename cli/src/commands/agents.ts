import { type AgentMemory, tenantAgents } from "@membus/agent-client";
import { type DegradedTier, isMemoryError, LIMITS, type MemoryTier, TIERS } from "@membus/protocol";
import type { Command } from "commander";
import { asAuthOperator } from "../auth/auth-host.js";
import { openSession, withClient } from "../session.js";

/** Number of agents that are listed. */
const AGENTS_MAX = 10_000;
/** Errors of a tier without which the list is still useful. */
const PARTIAL = ["unauthorized", "unsupported", "too_large"];

interface AgentsReport {
  /** By name. */
  readonly agents: readonly { readonly name: string; readonly tiers: readonly MemoryTier[] }[];
  /** Tiers without a result. */
  readonly incomplete: readonly DegradedTier[];
}

const EXPLANATION = `
The host lists the agents with working and episodic entries only for an operator: a user that may publish on
<prefix>.<tenant>.$OPERATOR.memory.agents.req. With nats.auth the command uses the operator's key. The agents with
semantic entries are their authors, which any agent of the tenant may list. At most ${AGENTS_MAX.toLocaleString("en")} agents are listed.`;

export function registerAgents(program: Command): void {
  program
    .command("agents")
    .description("list the agents of a tenant that have entries, and the tiers of these entries")
    .addHelpText("after", EXPLANATION)
    .action(async (_flags: object, self: Command) => {
      const { config, output } = await openSession(self);
      const report = await withClient(asAuthOperator(config), readAgents);
      output.result(report, () => describe(report));
    });
}

async function readAgents(memory: AgentMemory): Promise<AgentsReport> {
  const tiersOf = new Map<string, Set<MemoryTier>>();
  const add = (name: string, tiers: readonly MemoryTier[]) => {
    tiersOf.set(name, new Set([...(tiersOf.get(name) ?? []), ...tiers]));
  };
  const incomplete = [...(await addPrivate(memory, add)), ...(await addAuthors(memory, add))];
  const names = [...tiersOf.keys()].sort().slice(0, AGENTS_MAX);
  const agents = names.map((name) => ({ name, tiers: TIERS.filter((tier) => tiersOf.get(name)!.has(tier)) }));
  return { agents, incomplete };
}

type AddAgent = (name: string, tiers: readonly MemoryTier[]) => void;

/** Returns the private tiers without a result. */
async function addPrivate(memory: AgentMemory, add: AddAgent): Promise<readonly DegradedTier[]> {
  const { agents, degraded } = await tenantAgents(memory, AGENTS_MAX);
  for (const { name, tiers } of agents) add(name, tiers);
  return degraded;
}

/** Returns the shared tier if its authors cannot be listed. */
async function addAuthors(memory: AgentMemory, add: AddAgent): Promise<readonly DegradedTier[]> {
  const request = { field: "author", tier: "semantic", namespace: "**", limit: AGENTS_MAX } as const;
  try {
    const items = memory.items(request, { pageSize: LIMITS.listLimit });
    for await (const { value } of items) add(String(value), ["semantic"]);
    return [];
  } catch (error) {
    if (!isMemoryError(error) || !PARTIAL.includes(error.code)) throw error;
    return [{ tier: "semantic", code: error.code, message: error.message }];
  }
}

function describe({ agents, incomplete }: AgentsReport): string {
  const width = Math.max(0, ...agents.map(({ name }) => name.length));
  const lines = agents.map(({ name, tiers }) => `${name.padEnd(width)}  ${tiers.join(", ")}`);
  if (agents.length === 0) lines.push("no agent has entries");
  for (const { tier, message } of incomplete) lines.push(`incomplete: ${tier}: ${message}`);
  return lines.join("\n");
}
