import { type Clock, parseOptions } from "@membus/protocol";
import {
  type ChatMessage,
  type ChatModel,
  type CostMeter,
  completeWithRetries,
  ModelError,
  type ModelReply,
  type ToolCall,
} from "../model/index.js";
import { type Agent, AgentLimitsSchema, checkToolNames } from "./agent.js";
import { runToolCall, type ToolResult } from "./call-tool.js";
import { toDeclarations } from "./tool-declarations.js";

/** An agent with its model and messages. */
export interface AgentRun extends Agent {
  readonly model: ChatModel;
  /** Messages after the system message. */
  readonly messages: readonly ChatMessage[];
  /** Called for every step after its tools have returned. */
  readonly onStep?: ((step: AgentStep) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A reply of the model, and the results of its tool calls in order. */
export interface AgentStep {
  /** Number of the step, from 1. */
  readonly step: number;
  readonly reply: ModelReply;
  readonly results: readonly ToolResult[];
}

/**
 * The end of a run. "answered": `text` is the answer. "cut_off": `text` exceeded the output limit.
 * "step_limit": the model still called tools. `text` is then its last text, often "".
 */
export interface AgentOutcome {
  readonly outcome: "answered" | "cut_off" | "step_limit";
  readonly text: string;
  /** Messages of the run: replies, and a result for every call in them. */
  readonly messages: readonly ChatMessage[];
  readonly stepCount: number;
}

/**
 * Calls the model and runs its tool calls concurrently, until the model replies without tool calls. The meter
 * counts every attempt, also when this throws. Effects of tools stay.
 * @throws {ModelError} as `model.complete` does, after the retries that the agent allows. "refused" if the
 * model refuses, "invalid_output" if it replies nothing twice. The signal's reason if aborted.
 * @throws {TypeError} for an unknown option, a value out of range, or an invalid or duplicate tool name.
 */
export async function runAgent(run: AgentRun, meter: CostMeter): Promise<AgentOutcome> {
  const { request, limits, answer } = prepare(run, meter.clock);
  const added: ChatMessage[] = [];
  const complete = () =>
    completeWithRetries(run.model, { ...request, messages: [...request.messages, ...added] }, meter, limits);
  for (let step = 1; ; step++) {
    // An empty reply is valid after tool calls, but not as the first reply.
    const reply = step === 1 ? await completeNonEmpty(complete) : await complete();
    const results = await Promise.all(reply.toolCalls.map(answer));
    added.push(messageOf(reply), ...results.map(resultMessageOf));
    run.onStep?.({ step, reply, results });
    const ended = endOf(reply, step, limits.stepCountMax);
    if (ended !== undefined) return { outcome: ended, text: reply.text, messages: added, stepCount: step };
  }
}

/** Validates the run before the model is called. */
function prepare(run: AgentRun, clock: Clock) {
  const {
    model: _,
    onStep: __,
    system,
    tools,
    messages,
    signal,
    maxOutputTokens,
    temperature,
    ...options
  } = run;
  const limits = parseOptions(AgentLimitsSchema, options);
  checkToolNames(tools);
  const request = {
    messages: [{ role: "system" as const, content: system }, ...messages],
    tools: toDeclarations(tools),
    maxOutputTokens,
    temperature,
    signal,
  };
  const answer = (call: ToolCall, index: number): Promise<ToolResult> =>
    index < limits.callCountMax
      ? withTimeout(call, { signal, clock, timeoutMs: limits.callTimeoutMs }, (stopped) =>
          runToolCall(tools, call, { signal: stopped }, limits),
        )
      : Promise.resolve({ call, text: tooManyCalls(limits.callCountMax), succeeded: false });
  return { request, limits, answer };
}

/** Returns the first reply, or the second one if the first is empty. */
async function completeNonEmpty(complete: () => Promise<ModelReply>): Promise<ModelReply> {
  const first = await complete();
  const reply = isEmptyReply(first) ? await complete() : first;
  if (isEmptyReply(reply)) throw new ModelError("invalid_output", "the model returned an empty reply twice");
  return reply;
}

function isEmptyReply({ text, toolCalls }: ModelReply): boolean {
  return toolCalls.length === 0 && text.trim() === "";
}

/** Returns the result of `work`, or an error result after the timeout. */
async function withTimeout(
  call: ToolCall,
  {
    signal,
    clock,
    timeoutMs,
  }: { readonly signal: AbortSignal | undefined; readonly clock: Clock; readonly timeoutMs: number },
  work: (stopped: AbortSignal) => Promise<ToolResult>,
): Promise<ToolResult> {
  const late = new AbortController();
  const cancel = clock.after(timeoutMs, () => late.abort(), { background: true });
  try {
    return await work(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (signal?.aborted === true || !late.signal.aborted) throw error;
    const text = `${call.name} did not return within ${timeoutMs} ms. Its effects up to then may persist.`;
    return { call, text, succeeded: false };
  } finally {
    cancel();
  }
}

function tooManyCalls(countMax: number): string {
  return `Not run: a reply may have at most ${countMax} calls. Call it again in your next reply.`;
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
