import { integerOption, type ResolvedOptions, resolveOptions } from "@membus/protocol";
import type { ModelRequest, RetryOptions } from "../model/index.js";
import type { CallToolOptions } from "./call-tool.js";
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

export interface AgentOptions {
  /**
   * Maximum number of model replies, integer 1..1000. The tool calls of the last one are still run.
   * @default 10
   */
  readonly stepCountMax?: number | undefined;
  /**
   * Maximum number of tool calls of one reply that are run, all concurrently, integer 1..256. The others get
   * an error result.
   * @default 16
   */
  readonly callCountMax?: number | undefined;
  /**
   * Timeout of a tool call on the meter's clock in milliseconds, integer 1..3600000. Its signal is then
   * aborted, and the model gets an error result.
   * @default 60000
   */
  readonly callTimeoutMs?: number | undefined;
}

export const AGENT_DEFAULTS = Object.freeze({ stepCountMax: 10, callCountMax: 16, callTimeoutMs: 60_000 });

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveAgentOptions(input: AgentOptions): ResolvedOptions<AgentOptions> {
  return resolveOptions<ResolvedOptions<AgentOptions>>(input, AGENT_DEFAULTS, {
    stepCountMax: integerOption(1, 1_000),
    callCountMax: integerOption(1, 256),
    callTimeoutMs: integerOption(1, 3_600_000),
  });
}

/** @throws {TypeError} for an invalid or duplicate tool name. */
export function checkToolNames(tools: readonly Tool[]): void {
  const names = tools.map(({ name }) => name);
  const bad = names.find((name) => !/^[\w-]{1,64}$/.test(name));
  if (bad !== undefined)
    throw new TypeError(`a tool name must be 1..64 letters, digits, \`_\` or \`-\`, got \`${bad}\``);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw new TypeError(`two tools have the name \`${duplicate}\``);
}
