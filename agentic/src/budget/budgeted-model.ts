import type { AgentMemory } from "@membus/agent-client";
import { type Clock, parseOptions, silentLogger, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import {
  type BudgetState,
  type ChatModel,
  estimateUsage,
  ModelError,
  type ModelReply,
  type ModelRequest,
  type ModelStreamPart,
  type StreamingChatModel,
  type TokenUsage,
} from "../model/index.js";
import { BudgetLedger, type Spending } from "./budget-ledger.js";
import { type BudgetOptions, BudgetOptionsSchema, type ResolvedBudgetOptions } from "./budget-options.js";

/** Output tokens that are reserved for a request without a limit. */
const OUTPUT_TOKENS = 4_096;
/** Images and other tokenizers need more tokens than the estimate. */
const INPUT_FACTOR = 1.5;

export interface BudgetDependencies {
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** Logs a cost that could not be recorded. Absent: no log. */
  readonly logger?: Logger | undefined;
}

/**
 * Returns a model that keeps a budget for every call, in whatever operation it is used: long-term memory, a
 * learner, a graph, context windows, agents. All processes of the agent with the same budget share it through
 * a record on the bus. Each call reserves the most that it can cost, and releases the rest afterwards.
 *
 * Over the budget, a call throws `ModelError` "over_budget" without calling the model. A learner then leaves the
 * messages where they are, and a record with `wait: false` stays queued. Both go on in the next period.
 *
 * A call that the model did not read, such as one with a wrong key, costs nothing. One that took too long or was
 * aborted costs its prompt.
 *
 * @param memory memory of the agent. With `scope: "namespace"`, the budget belongs to its namespace.
 * @throws {TypeError} for an unknown option, a value out of range, no maximum, or `usd` without a price.
 */
export function withBudget(
  model: StreamingChatModel,
  memory: AgentMemory,
  options: BudgetOptions,
  dependencies?: BudgetDependencies,
): StreamingChatModel;
export function withBudget(
  model: ChatModel,
  memory: AgentMemory,
  options: BudgetOptions,
  dependencies?: BudgetDependencies,
): ChatModel;
export function withBudget(
  model: ChatModel | StreamingChatModel,
  memory: AgentMemory,
  input: BudgetOptions,
  { clock = systemClock, logger = silentLogger }: BudgetDependencies = {},
): ChatModel | StreamingChatModel {
  const options = parseOptions(BudgetOptionsSchema, input, ["budget"]);
  const calls = new BudgetedCalls(new BudgetLedger(memory, options, clock), options, logger);
  return {
    complete: (request) => calls.complete(model, request),
    ...("completeStream" in model && {
      completeStream: (request: ModelRequest) => calls.completeStream(model, request),
    }),
    ...(model.contextTokens !== undefined && {
      contextTokens: (signal?: AbortSignal) => model.contextTokens!(signal),
    }),
  };
}

/** Reserves, calls and settles. */
class BudgetedCalls {
  readonly #ledger: BudgetLedger;
  readonly #prices: Pick<ResolvedBudgetOptions, "inputPrice" | "outputPrice">;
  readonly #logger: Logger;

  constructor(ledger: BudgetLedger, prices: ResolvedBudgetOptions, logger: Logger) {
    this.#ledger = ledger;
    this.#prices = prices;
    this.#logger = logger;
  }

  async complete(model: ChatModel, request: ModelRequest): Promise<ModelReply> {
    const call = await this.#begin(request);
    let reply: ModelReply;
    try {
      reply = await model.complete(request);
    } catch (error) {
      throw await this.#failed(error, request, call, 0);
    }
    return this.#withBudget(reply, await call.settle(reply.usage));
  }

  async *completeStream(model: StreamingChatModel, request: ModelRequest): AsyncGenerator<ModelStreamPart> {
    const call = await this.#begin(request);
    let length = 0;
    try {
      for await (const part of model.completeStream(request)) {
        if (part.type === "text") {
          length += part.text.length;
          yield part;
        } else {
          yield { type: "reply", reply: this.#withBudget(part.reply, await call.settle(part.reply.usage)) };
        }
      }
    } catch (error) {
      throw await this.#failed(error, request, call, length);
    } finally {
      // The reader may stop before the end. The text until then counts.
      await call.settle(estimateUsage(request, length));
    }
  }

  /**
   * Settles a failed call, and returns its error with the budget. A model that was interrupted has the prompt, so
   * the prompt counts.
   */
  async #failed(error: unknown, request: ModelRequest, call: BudgetedCall, length: number): Promise<unknown> {
    if (!(error instanceof ModelError)) {
      await call.settle(estimateUsage(request, length));
      return error;
    }
    const usage = error.usage ?? (length > 0 ? estimateUsage(request, length) : undefined);
    const budget = await call.settle(usage);
    const { code, message, retryAfterMs, contextTokens } = error;
    const detail = { retryAfterMs, contextTokens, budget, cause: error };
    return new ModelError(code, message, { ...detail, usage: usage && this.#withUsd(usage) });
  }

  async #begin(request: ModelRequest): Promise<BudgetedCall> {
    request.signal?.throwIfAborted();
    const most = this.#mostOf(request);
    const state = await this.#ledger.reserve(most);
    let settled: BudgetState | undefined;
    const settle = async (usage: TokenUsage | undefined): Promise<BudgetState> => {
      if (settled !== undefined) return settled;
      settled = state;
      try {
        settled = await this.#ledger.settle(most, state, this.#spendingOf(usage));
      } catch (error) {
        this.#logger.warn(
          { error: String(error) },
          "cannot record the cost of a call, its reservation stays used",
        );
      }
      return settled;
    };
    return { settle };
  }

  #mostOf(request: ModelRequest): Spending {
    const { inputTokens } = estimateUsage(request, 0);
    return this.#spendingOf({
      inputTokens: Math.ceil(inputTokens * INPUT_FACTOR),
      outputTokens: request.maxOutputTokens ?? OUTPUT_TOKENS,
    });
  }

  #spendingOf({ inputTokens, outputTokens }: TokenUsage = { inputTokens: 0, outputTokens: 0 }): Spending {
    return { tokens: inputTokens + outputTokens, usd: this.#usdOf({ inputTokens, outputTokens }) };
  }

  #usdOf({ inputTokens, outputTokens }: TokenUsage): number {
    const { inputPrice, outputPrice } = this.#prices;
    return (inputTokens * inputPrice + outputTokens * outputPrice) / 1e6;
  }

  #withBudget(reply: ModelReply, budget: BudgetState): ModelReply {
    return { ...reply, budget, usage: this.#withUsd(reply.usage) };
  }

  #withUsd(usage: TokenUsage): TokenUsage {
    return { ...usage, usd: this.#usdOf(usage) };
  }
}

/** A call with a reservation. The first `settle` replaces it by the actual cost. It never fails. */
interface BudgetedCall {
  settle(usage: TokenUsage | undefined): Promise<BudgetState>;
}
