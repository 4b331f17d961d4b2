import { type AgentMemory, type EntryInput, updateWithRetry } from "@membus/agent-client";
import {
  type Clock,
  type MemoryEntry,
  MemoryError,
  type MemoryTier,
  parseErrorMessage,
} from "@membus/protocol";
import type { z } from "zod";
import { type BudgetState, BudgetStateSchema, ModelError } from "../model/index.js";
import { periodAt, type ResolvedBudgetOptions } from "./budget-options.js";

/** Namespace of the records of budgets, which are not memories. */
const NAMESPACE = "budget";
const KIND = "model_budget";

/** Maximum number of attempts. Each conflict means that another process succeeded. */
const ATTEMPTS_MAX = 64;

/** Tokens and their cost in US dollars. */
export interface Spending {
  readonly tokens: number;
  readonly usd: number;
}

const ContentSchema = BudgetStateSchema.omit({ scope: true });
type Content = z.infer<typeof ContentSchema>;

/** The usage of a budget in its current period, shared by all processes through one record. */
export class BudgetLedger {
  readonly #memory: AgentMemory;
  readonly #scope: string;
  readonly #options: ResolvedBudgetOptions;
  readonly #clock: Clock;

  constructor(memory: AgentMemory, options: ResolvedBudgetOptions, clock: Clock) {
    this.#memory = memory.inNamespace(NAMESPACE);
    this.#scope = options.scope === "agent" ? "agent" : `namespace ${memory.namespace}`;
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * Reserves the most that a call can cost. If the process dies before `settle`, the reservation stays used.
   * @throws {ModelError} "over_budget" if the rest is smaller. @throws {MemoryError} as a store does.
   */
  async reserve(most: Spending): Promise<BudgetState> {
    return this.#change((used) => {
      const { tokensMax = Number.POSITIVE_INFINITY, usdMax = Number.POSITIVE_INFINITY } = used;
      if (used.tokens + most.tokens > tokensMax || used.usd + most.usd > usdMax)
        throw this.#exceeded(used, most);
      return { ...added(used, most), calls: used.calls + 1 };
    });
  }

  /** Replaces a reservation by the actual cost. After the end of its period nothing changes. */
  async settle(reserved: Spending, { period }: BudgetState, actual: Spending): Promise<BudgetState> {
    return this.#change((used) => {
      if (used.period !== period) return used;
      return added(used, { tokens: actual.tokens - reserved.tokens, usd: actual.usd - reserved.usd });
    });
  }

  async #change(change: (used: Content) => Content): Promise<BudgetState> {
    return updateWithRetry(
      () => this.#read(),
      ({ used, revision }) => ({ content: change(used), revision }),
      async ({ content, revision }) => {
        const entry = {
          ...{
            key: this.#key,
            content: content as EntryInput["content"],
            text: "budget",
            tier: this.#options.tier,
          },
          ...{ metadata: { kind: KIND }, if_revision: revision },
        };
        const { receipts, errors } = await this.#memory.store(entry, { partial: true });
        const [error] = errors;
        if (error !== undefined && error.code !== "conflict") throw parseErrorMessage(error as never);
        return receipts.length === 0 ? undefined : toState(this.#scope, content);
      },
      {
        attemptsMax: ATTEMPTS_MAX,
        onExhausted: () => {
          throw new MemoryError("conflict", "other processes keep changing the budget. Try again");
        },
      },
    );
  }

  get #key() {
    return { budget: this.#scope, per: this.#options.per };
  }

  async #read(): Promise<{ readonly used: Content; readonly revision: number }> {
    const { tier, per, tokens: tokensMax, usd: usdMax } = this.#options;
    const { entries } = await this.#memory.retrieve({ keys: [this.#key], tier, limit: 1 });
    const known = ContentSchema.safeParse(entries[0]?.content).data;
    const current = periodAt(this.#clock.now(), per);
    const limits = {
      ...(tokensMax !== undefined && { tokensMax }),
      ...(usdMax !== undefined && { usdMax }),
    };
    const { tokens, usd, calls } = known?.period === current.period ? known : { tokens: 0, usd: 0, calls: 0 };
    return { used: { per, ...current, tokens, usd, calls, ...limits }, revision: entries[0]?.revision ?? 0 };
  }

  #exceeded(used: Content, most: Spending): ModelError {
    const { per, until, tokens, tokensMax, usd, usdMax } = used;
    const limits = [
      ...(tokensMax === undefined ? [] : [`${tokens} of ${tokensMax} tokens`]),
      ...(usdMax === undefined ? [] : [`${usd.toFixed(4)} of ${usdMax} USD`]),
    ].join(" and ");
    const end = new Date(until * 1000).toISOString();
    return new ModelError(
      "over_budget",
      `the budget per ${per} has used ${limits}, and this call needs up to ${most.tokens} tokens. It is renewed at ${end}`,
      { retryAfterMs: Math.max(0, (until - this.#clock.now()) * 1000), budget: toState(this.#scope, used) },
    );
  }
}

function added(used: Content, { tokens, usd }: Spending): Content {
  return { ...used, tokens: Math.max(0, used.tokens + tokens), usd: Math.max(0, used.usd + usd) };
}

function toState(scope: string, content: Content): BudgetState {
  return { scope, ...content };
}

/** Returns the budgets of an agent, as far as a model was called: of the agent and of its namespaces. */
export async function listBudgets(
  memory: AgentMemory,
  tier: MemoryTier = "episodic",
): Promise<BudgetState[]> {
  const where = { field: "metadata.kind", op: "eq", value: KIND } as const;
  const found: BudgetState[] = [];
  for await (const entry of memory.inNamespace(NAMESPACE).entries({ where, tier, order: "oldest" })) {
    const state = stateOf(entry);
    if (state !== undefined) found.push(state);
  }
  return found;
}

function stateOf({ key, content }: MemoryEntry): BudgetState | undefined {
  const parsed = ContentSchema.safeParse(content);
  return parsed.success ? toState(String(key?.budget), parsed.data) : undefined;
}
