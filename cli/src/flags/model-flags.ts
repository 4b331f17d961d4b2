import type { AgentMemory } from "@membus/agent-client";
import type { OpenAiChatOptions } from "@membus/agentic";
import type { StreamingChatModel } from "@membus/agentic/model";
import type { Command } from "commander";
import { type BudgetSettings, budgetOf } from "../config/budget-settings.js";
import { definedOnly } from "./defined-only.js";
import { numberFlag } from "./json-argument.js";

/** The model, and the subject of the memories. */
export interface ModelFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly firstTokenTimeoutMs?: string;
  readonly answerTimeoutMs?: string;
  readonly pauseTimeoutMs?: string;
  readonly subject: string;
  readonly budgetTokens?: string;
  readonly budgetUsd?: string;
  readonly budgetPer?: "hour" | "day" | "month";
  readonly inputPrice?: string;
  readonly outputPrice?: string;
}

const MODEL_HELP = `
Environment variables, used for flags that are not set:
  OPENAI_MODEL             --model
  OPENAI_BASE_URL          --base-url
  OPENAI_API_KEY           API key of the server (local servers usually need none)`;

export function addModelFlags(command: Command): Command {
  return command
    .option("--model <model>", "chat model")
    .option("--base-url <url>", "base URL of a server with the OpenAI chat completions API (default: OpenAI)")
    .option("--first-token-timeout-ms <ms>", "time limit for the first token of an answer (default 60000)")
    .option("--pause-timeout-ms <ms>", "time limit between two parts of an answer (default 60000)")
    .option("--answer-timeout-ms <ms>", "time limit for a whole answer (default 600000)")
    .option("--subject <subject>", "subject that the memories are about, such as a user", "user")
    .option("--budget-tokens <count>", "maximum tokens of all model calls of the agent per period")
    .option("--budget-usd <usd>", "maximum cost per period, with the two prices")
    .option("--budget-per <period>", "period of the budget in UTC: hour, day (default) or month")
    .option("--input-price <usd>", "price of one million input tokens in US dollars")
    .option("--output-price <usd>", "price of one million output tokens in US dollars")
    .addHelpText("after", MODEL_HELP);
}

/** @throws {TypeError} if no model is named, or a flag is not a number. */
export function modelOptions(flags: ModelFlags, env: NodeJS.ProcessEnv): OpenAiChatOptions {
  const named = flags.model ?? env.OPENAI_MODEL;
  if (!named) throw new TypeError("no model given: set --model or OPENAI_MODEL");
  const url = flags.baseUrl ?? env.OPENAI_BASE_URL;
  return {
    model: named,
    ...definedOnly({
      baseUrl: url || undefined,
      apiKey: env.OPENAI_API_KEY || undefined,
      firstTokenTimeoutMs: number("--first-token-timeout-ms", flags.firstTokenTimeoutMs),
      pauseTimeoutMs: number("--pause-timeout-ms", flags.pauseTimeoutMs),
      timeoutMs: number("--answer-timeout-ms", flags.answerTimeoutMs),
    }),
  };
}

/**
 * Adds the budget of the settings to a model. Flags take precedence. Without a budget returns the model.
 * @throws {TypeError} for an invalid budget.
 */
export async function withBudgetFlags(
  model: StreamingChatModel,
  memory: AgentMemory,
  flags: ModelFlags,
  settings: BudgetSettings | undefined,
): Promise<StreamingChatModel> {
  const budget = budgetOf({ ...settings, ...budgetFlags(flags) });
  if (budget === undefined) return model;
  const { withBudget } = await import("@membus/agentic");
  return withBudget(model, memory, budget);
}

function budgetFlags(flags: ModelFlags): BudgetSettings {
  return definedOnly({
    tokens: number("--budget-tokens", flags.budgetTokens),
    usd: number("--budget-usd", flags.budgetUsd),
    per: flags.budgetPer,
    input_price: number("--input-price", flags.inputPrice),
    output_price: number("--output-price", flags.outputPrice),
  });
}

function number(name: string, value: string | undefined): number | undefined {
  return value === undefined ? undefined : numberFlag(name, value);
}
