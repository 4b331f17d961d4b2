import type { AgentMemory } from "@membus/agent-client";
import { isMemoryError } from "@membus/protocol";
import type { ModelBudgets } from "./inspector-api.js";

/** Lists the budgets of the agent for model calls. Empty for an agent without one, or without a durable tier. */
async function readBudgets(memory: AgentMemory): Promise<ModelBudgets> {
  const { listBudgets } = await import("@membus/agentic");
  try {
    return { budgets: await listBudgets(memory) };
  } catch (error) {
    if (isMemoryError(error) && ["unsupported", "unauthorized"].includes(error.code)) return { budgets: [] };
    throw error;
  }
}

/** Route of the budgets, which the view *health* shows. */
export const BUDGET_ROUTES = { budgets: readBudgets };
