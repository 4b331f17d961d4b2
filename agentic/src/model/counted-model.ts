import type { BudgetState, ChatModel, ModelReply, ModelRequest, TokenUsage } from "./chat-model.js";
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
    let usage: TokenUsage | undefined;
    let budget: BudgetState | undefined;
    try {
      const reply = await this.#model.complete(request);
      ({ usage, budget } = reply);
      return reply;
    } catch (error) {
      if (error instanceof ModelError) usage = error.usage;
      throw error;
    } finally {
      const { modelCalls, inputTokens, outputTokens, usd = 0 } = this.#calls;
      this.#calls = {
        ...this.#calls,
        ...(usage?.usd !== undefined && { usd: usd + usage.usd }),
        ...(budget !== undefined && { budget }),
        modelCalls: modelCalls + 1,
        inputTokens: inputTokens + (usage?.inputTokens ?? 0),
        outputTokens: outputTokens + (usage?.outputTokens ?? 0),
      };
    }
  }
}
