import type { OpenAiChatOptions } from "@membus/agentic";
import type { Command } from "commander";
import { definedOnly } from "./defined-only.js";

/** Which model, and whom memories are about. */
export interface ModelFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly about: string;
}

const MODEL_HELP = `
Environment, where the flags say nothing:
  OPENAI_MODEL             --model
  OPENAI_BASE_URL          --base-url
  OPENAI_API_KEY           key of the server; servers on this machine mostly want none`;

export function addModelFlags(command: Command): Command {
  return command
    .option("--model <model>", "a chat model of the server")
    .option("--base-url <url>", "any server that speaks OpenAI's chat completions (default OpenAI's own)")
    .option("--about <who>", "whom the memories are about", "user")
    .addHelpText("after", MODEL_HELP);
}

/** @throws {TypeError} where no model is named. */
export function modelOptions({ model, baseUrl }: ModelFlags, env: NodeJS.ProcessEnv): OpenAiChatOptions {
  const named = model ?? env.OPENAI_MODEL;
  if (!named) throw new TypeError("which model? name one with --model or OPENAI_MODEL");
  const url = baseUrl ?? env.OPENAI_BASE_URL;
  return {
    model: named,
    ...definedOnly({ baseUrl: url || undefined, apiKey: env.OPENAI_API_KEY || undefined }),
  };
}
