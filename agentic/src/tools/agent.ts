import { type OptionsOf, option, optionSet } from "@membus/protocol";
import { type ModelRequest, type RetryOptions, RetryOptionsSchema } from "../model/index.js";
import { type CallToolOptions, CallToolOptionsSchema } from "./call-tool.js";
import type { Tool } from "./tool.js";

/** An agent as data: its system message, its tools and its limits. */
export interface Agent
  extends AgentOptions,
    RetryOptions,
    CallToolOptions,
    Pick<ModelRequest, "maxOutputTokens" | "temperature"> {
  /** System message. */
  readonly system: string;
  /** May be empty. */
  readonly tools: readonly Tool[];
}

const AgentOptionsSchema = optionSet({
  /** Maximum number of model replies. The tool calls of the last one are still run. */
  stepCountMax: option.integer(1, 1_000).default(10),
  /** Maximum number of tool calls of one reply that are run, all concurrently. The others get an error result. */
  callCountMax: option.integer(1, 256).default(16),
  /**
   * Timeout of a tool call on the meter's clock in milliseconds. Its signal is then aborted, and the model
   * gets an error result.
   */
  callTimeoutMs: option.integer(1, 3_600_000).default(60_000),
});

export interface AgentOptions extends OptionsOf<typeof AgentOptionsSchema> {}

/** Limits of an agent, its retries and its tool results. */
export const AgentLimitsSchema = optionSet({
  ...AgentOptionsSchema.shape,
  ...RetryOptionsSchema.shape,
  ...CallToolOptionsSchema.shape,
});

/** @throws {TypeError} for an invalid or duplicate tool name. */
export function checkToolNames(tools: readonly Tool[]): void {
  const names = tools.map(({ name }) => name);
  const bad = names.find((name) => !/^[\w-]{1,64}$/.test(name));
  if (bad !== undefined)
    throw new TypeError(`a tool name must be 1..64 letters, digits, \`_\` or \`-\`, got \`${bad}\``);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw new TypeError(`two tools have the name \`${duplicate}\``);
}
