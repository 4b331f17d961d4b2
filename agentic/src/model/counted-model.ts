import type { BudgetState } from "./budget-state.js";
import type { ChatModel, ModelReply, ModelRequest, TokenUsage } from "./chat-model.js";
import { NO_USAGE } from "./cost.js";
import { ModelError } from "./model-error.js";

/** Calls of a model and their tokens. */
export interface ModelCalls extends TokenUsage {
  readonly modelCalls: number;
  /** State of the budget after the last call. Absent without a budget. */
  readonly budget?: BudgetState | undefined;
}

/** A model that counts its calls, including failed ones. */
export class CountedModel implements ChatModel {
  readonly #model: ChatModel;
  #calls: ModelCalls = { modelCalls: 0, inputTokens: 0, outputTokens: 0 };

  constructor(model: ChatModel) {
    this.#model = model;
  }

  /** The calls so far. A failed call has the tokens of its incomplete reply. */
  get calls(): ModelCalls {
    return this.#calls;
  }

  async complete(request: ModelRequest): Promise<ModelReply> {
    try {
      const reply = await this.#model.complete(request);
      this.#add(reply);
      return reply;
    } catch (error) {
      this.#add(error instanceof ModelError ? error : {});
      throw error;
    }
  }

  #add({ usage = NO_USAGE, budget, code }: CalledModel): void {
    const { modelCalls, inputTokens, outputTokens, usd = 0 } = this.#calls;
    this.#calls = {
      ...this.#calls,
      ...(usage.usd !== undefined && { usd: usd + usage.usd }),
      ...(budget !== undefined && { budget }),
      // A call over the budget was not made.
      modelCalls: modelCalls + (code === "over_budget" ? 0 : 1),
      inputTokens: inputTokens + usage.inputTokens,
      outputTokens: outputTokens + usage.outputTokens,
    };
  }
}

/** A reply, or the error of a call. */
interface CalledModel {
  readonly usage?: TokenUsage | undefined;
  readonly budget?: BudgetState | undefined;
  readonly code?: string;
}
