import { integerOption, type ResolvedOptions, resolveOptions } from "@membus/protocol";
import {
  type ChatMessage,
  type ChatModel,
  type CostMeter,
  completeWithRetries,
  ModelError,
  type ModelReply,
  type ModelRequest,
  type RetryOptions,
  resolveRetryOptions,
} from "../model/index.js";
import { type CallToolOptions, resultOf, type ToolResult } from "./call-tool.js";
import type { Tool } from "./tool.js";
import { toDeclarations } from "./tool-declarations.js";

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
}

export const AGENT_DEFAULTS = Object.freeze({ stepCountMax: 10, callCountMax: 16 });

/** An agent and what it is to do now. */
export interface AgentRun extends Agent {
  readonly model: ChatModel;
  /** What comes after the system message. */
  readonly messages: readonly ChatMessage[];
  /** Gets every step when its tools have answered. */
  readonly onStep?: ((step: AgentStep) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One answer of the model, and what came of its tool calls, in their order. */
export interface AgentStep {
  /** From 1. */
  readonly step: number;
  readonly reply: ModelReply;
  readonly results: readonly ToolResult[];
}

/**
 * How a run ended: "answered" with the model's text, "cut_off" with a text that is too long to be finished, or "step_limit"
 * when the model would have gone on; `text` is then what it wrote last, often "".
 */
export interface AgentOutcome {
  readonly outcome: "answered" | "cut_off" | "step_limit";
  readonly text: string;
  /** What the run adds to its messages: answers, and a result for every call in them. */
  readonly messages: readonly ChatMessage[];
  readonly stepCount: number;
}

/**
 * Asks the model, runs the tools that it calls side by side, tells it what they answered, and so on, until it answers with a
 * text alone. The meter gets every attempt, also when this throws; what tools did before stays done.
 * @throws {ModelError} as `model.complete` does, after the retries that the agent allows; "refused" if the model does not
 * want to. Aborted by its signal, the signal's reason.
 * @throws {TypeError} for an unknown option, a value out of range, two tools of one name, or a name that none can have.
 */
export async function runAgent(run: AgentRun, meter: CostMeter): Promise<AgentOutcome> {
  const { onStep, signal, request, bounds, retry, answer } = prepare(run);
  const added: ChatMessage[] = [];
  for (let step = 1; ; step++) {
    const messages = [...request.messages, ...added];
    const reply = await completeWithRetries(run.model, { ...request, messages }, meter, retry);
    if (reply.finishReason === "refusal") {
      throw new ModelError("refused", `the model refused: ${reply.text.slice(0, 500)}`);
    }
    const results = await Promise.all(reply.toolCalls.map(answer));
    added.push(messageOf(reply), ...results.map(resultMessageOf));
    onStep?.({ step, reply, results });
    const ended = endOf(reply, step, bounds.stepCountMax);
    if (ended !== undefined) return { outcome: ended, text: reply.text, messages: added, stepCount: step };
    signal?.throwIfAborted();
  }
}

/** Everything that could be wrong with a run is so before the model is asked. */
function prepare(run: AgentRun) {
  const { model: _, system, tools, messages, onStep, signal, maxOutputTokens, temperature, ...options } = run;
  const { retryCountMax, retryWaitMsMax, textLengthMax, ...rest } = options;
  const bounds = resolveAgentOptions(rest);
  checkNames(tools);
  const request = {
    messages: [{ role: "system" as const, content: system }, ...messages],
    tools: toDeclarations(tools),
    maxOutputTokens,
    temperature,
    signal,
  };
  const answer = (call: ModelReply["toolCalls"][number], index: number): Promise<ToolResult> =>
    index < bounds.callCountMax
      ? resultOf(tools, call, { signal }, { textLengthMax })
      : Promise.resolve({ call, text: tooManyCalls(bounds.callCountMax), succeeded: false });
  return {
    onStep,
    signal,
    request,
    bounds,
    retry: resolveRetryOptions({ retryCountMax, retryWaitMsMax }),
    answer,
  };
}

function resolveAgentOptions(input: AgentOptions): ResolvedOptions<AgentOptions> {
  return resolveOptions<ResolvedOptions<AgentOptions>>(input, AGENT_DEFAULTS, {
    stepCountMax: integerOption(1, 1_000),
    callCountMax: integerOption(1, 256),
  });
}

function checkNames(tools: readonly Tool[]): void {
  const names = tools.map(({ name }) => name);
  const bad = names.find((name) => !/^[\w-]{1,64}$/.test(name));
  if (bad !== undefined) throw new TypeError(`no name for a tool: \`${bad}\``);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new TypeError(`two tools are called \`${twin}\``);
}

function tooManyCalls(countMax: number): string {
  return `Not run: an answer may have ${countMax} calls. Call it again in your next answer.`;
}

function endOf(
  { toolCalls, finishReason }: ModelReply,
  step: number,
  stepCountMax: number,
): AgentOutcome["outcome"] | undefined {
  if (toolCalls.length === 0) return finishReason === "length" ? "cut_off" : "answered";
  return step >= stepCountMax ? "step_limit" : undefined;
}

function messageOf({ text, toolCalls }: ModelReply): ChatMessage {
  if (toolCalls.length === 0) return { role: "assistant", content: text };
  return {
    role: "assistant",
    content: text === "" ? null : text,
    tool_calls: toolCalls.map((call) => ({ ...call })),
  };
}

function resultMessageOf({ call, text }: ToolResult): ChatMessage {
  return { role: "tool", content: text, tool_call_id: call.id, name: call.name };
}
