import type { BudgetState } from "@membus/agentic/model";
import { isMemoryError } from "@membus/protocol";
import type { Command } from "commander";
import { budgetText } from "../chat/budget-text.js";
import type { Config } from "../config/config-schema.js";
import { readHostStats, type StatsReply } from "../host-stats.js";
import { openSession, type Session, withClient } from "../session.js";

/** Figures of a tier that the text shows. The JSON output has all. */
const SHOWN = ["plugin", "entries", "entries_bytes", "stores", "retrieves", "forgets"];

export function registerStats(program: Command): void {
  program
    .command("stats")
    .description("show the model budgets of an agent, and the figures of the running hosts")
    .action(async (_flags: object, self: Command) => {
      await stats(await openSession(self));
    });
}

async function stats({ config, output }: Session): Promise<void> {
  const { listBudgets } = await import("@membus/agentic");
  const budgets = await withClient(config, (client) => listBudgets(client));
  const hosts = await hostsOf(config);
  output.result({ budgets, hosts }, () => [...budgetLines(budgets), ...hosts.flatMap(hostLines)].join("\n"));
}

/** Returns no hosts if the user may not read their statistics. */
async function hostsOf(config: Config): Promise<StatsReply[]> {
  try {
    return await readHostStats(config);
  } catch (error) {
    if (isMemoryError(error) && error.code === "unauthorized") return [];
    throw error;
  }
}

function budgetLines(budgets: readonly BudgetState[]): string[] {
  if (budgets.length === 0) return ["no budget: no model was called with one"];
  return budgets.map((budget) => `budget  ${budgetText(budget)}`);
}

function hostLines({ id, tiers = {} }: StatsReply): string[] {
  return Object.entries(tiers).map(([tier, figures]) => {
    const shown = SHOWN.filter((name) => figures[name] !== undefined).map(
      (name) => `${name} ${figures[name]}`,
    );
    return `host ${id}  ${tier}  ${shown.join(", ")}`;
  });
}
