import type { OpenAiChatOptions } from "@membus/agentic";
import type { Command } from "commander";
import { definedOnly } from "./defined-only.js";
import { numberFlag } from "./json-argument.js";

/** The model, and the subject of the memories. */
export interface ModelFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly firstTokenTimeoutMs?: string;
  readonly answerTimeoutMs?: string;
  readonly subject: string;
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
    .option("--answer-timeout-ms <ms>", "time limit for a whole answer (default 600000)")
    .option("--subject <subject>", "subject that the memories are about, such as a user", "user")
    .addHelpText("after", MODEL_HELP);
}

/** @throws {TypeError} if no model is named, or a flag is not a number. */
export function modelOptions(
  { model, baseUrl, firstTokenTimeoutMs, answerTimeoutMs }: ModelFlags,
  env: NodeJS.ProcessEnv,
): OpenAiChatOptions {
  const named = model ?? env.OPENAI_MODEL;
  if (!named) throw new TypeError("no model given: set --model or OPENAI_MODEL");
  const url = baseUrl ?? env.OPENAI_BASE_URL;
  return {
    model: named,
    ...definedOnly({
      baseUrl: url || undefined,
      apiKey: env.OPENAI_API_KEY || undefined,
      firstTokenTimeoutMs:
        firstTokenTimeoutMs === undefined
          ? undefined
          : numberFlag("--first-token-timeout-ms", firstTokenTimeoutMs),
      timeoutMs:
        answerTimeoutMs === undefined ? undefined : numberFlag("--answer-timeout-ms", answerTimeoutMs),
    }),
  };
}
