import type { MemoryClient } from "@membus/agent-client";
import type { BudgetState } from "@membus/agentic/model";
import { isMemoryError, systemClock } from "@membus/protocol";
import type { Command } from "commander";
import { budgetText } from "../chat/budget-text.js";
import type { Config } from "../config/config-schema.js";
import { readHostStats, type StatsReply } from "../host-stats.js";
import { openSession, type Session, withClient } from "../session.js";
import { hostLines } from "../stats/host-lines.js";

export function registerStats(program: Command): void {
  program
    .command("stats")
    .description("show the model budgets and the memory of an agent, and the figures of the running hosts")
    .action(async (_flags: object, self: Command) => {
      await stats(await openSession(self));
    });
}

async function stats({ config, output }: Session): Promise<void> {
  const { listBudgets } = await import("@membus/agentic");
  const hosts = await hostsOf(config);
  const { budgets, plots } = await withClient(config, async (client) => ({
    budgets: await listBudgets(client),
    // The plots need many requests, and their figures are not part of the JSON output.
    plots: output.json ? [] : await plotsOf(client, hosts),
  }));
  output.result({ budgets, hosts }, () =>
    [...budgetLines(budgets), ...hostLines(hosts), ...plots].join("\n"),
  );
}

async function plotsOf(client: MemoryClient, hosts: readonly StatsReply[]): Promise<string[]> {
  const { plotOptions } = await import("../terminal/plots.js");
  const { readMemoryFigures } = await import("../stats/memory-figures.js");
  const { latenciesOf } = await import("../stats/latency.js");
  const { latencyPlots, memoryPlots } = await import("../stats/stats-plots.js");
  const options = plotOptions(process.stdout.columns, process.env);
  const figures = await readMemoryFigures(client, systemClock.now());
  return [...memoryPlots(figures, client.agent, options), ...latencyPlots(latenciesOf(hosts), options)];
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
