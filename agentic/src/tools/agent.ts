import { integerOption, type ResolvedOptions, resolveOptions } from "@membus/protocol";
import type { ModelRequest, RetryOptions } from "../model/index.js";
import type { CallToolOptions } from "./call-tool.js";
import type { Tool } from "./tool.js";

/** An agent as data: what it is told, what it may call, and how far it may go. */
export interface Agent
  extends AgentOptions,
    RetryOptions,
    CallToolOptions,
    Pick<ModelRequest, "maxOutputTokens" | "temperature"> {
  /** Its system message. */
  readonly system: string;
  /** None, for an agent that only talks. */
  readonly tools: readonly Tool[];
}

export interface AgentOptions {
  /**
   * Answers that are asked of the model, integer 1..1000. The tool calls of the last one are still run.
   * @default 10
   */
  readonly stepCountMax?: number | undefined;
  /**
   * Tool calls of one answer that are run, all at the same time, integer 1..256; the model is told of those that were not.
   * @default 16
   */
  readonly callCountMax?: number | undefined;
  /**
   * Longest time that one tool call may take, on the meter's clock, in milliseconds, integer 1..3600000. Then its signal is
   * aborted, and the model is told.
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

/** @throws {TypeError} for a name that no tool can have, or that two have. */
export function checkToolNames(tools: readonly Tool[]): void {
  const names = tools.map(({ name }) => name);
  const bad = names.find((name) => !/^[\w-]{1,64}$/.test(name));
  if (bad !== undefined) throw new TypeError(`no name for a tool: \`${bad}\``);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new TypeError(`two tools are called \`${twin}\``);
}
