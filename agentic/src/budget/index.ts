export { listBudgets } from "./budget-ledger.js";
export { type BudgetOptions, BudgetOptionsSchema, type BudgetPeriod } from "./budget-options.js";
export { type BudgetDependencies, withBudget } from "./budgeted-model.js";
