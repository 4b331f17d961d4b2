import type { Clock } from "@membus/protocol";
import {
  type ChatMessage,
  type ChatModel,
  type CostMeter,
  completeWithRetries,
  ModelError,
  type ModelReply,
  resolveRetryOptions,
  type ToolCall,
} from "../model/index.js";
import { type Agent, checkToolNames, resolveAgentOptions } from "./agent.js";
import { resolveCallToolOptions, resultOf, type ToolResult } from "./call-tool.js";
import { toDeclarations } from "./tool-declarations.js";

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
 * want to, "invalid_output" if it answers nothing, also when asked again. Aborted by its signal, the signal's reason.
 * @throws {TypeError} for an unknown option, a value out of range, two tools of one name, or a name that none can have.
 */
export async function runAgent(run: AgentRun, meter: CostMeter): Promise<AgentOutcome> {
  const { request, bounds, retry, answer } = prepare(run, meter.clock);
  const added: ChatMessage[] = [];
  const complete = () =>
    completeWithRetries(run.model, { ...request, messages: [...request.messages, ...added] }, meter, retry);
  for (let step = 1; ; step++) {
    // After tools an agent may have nothing left to say; before them it was asked something.
    const reply = step === 1 ? await wordsOf(complete) : await complete();
    const results = await Promise.all(reply.toolCalls.map(answer));
    added.push(messageOf(reply), ...results.map(resultMessageOf));
    run.onStep?.({ step, reply, results });
    const ended = endOf(reply, step, bounds.stepCountMax);
    if (ended !== undefined) return { outcome: ended, text: reply.text, messages: added, stepCount: step };
  }
}

/** Everything that could be wrong with a run is so before the model is asked. */
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
    ...rest
  } = run;
  const { retryCountMax, retryWaitMsMax, textLengthMax, ...options } = rest;
  const bounds = resolveAgentOptions(options);
  const callOptions = resolveCallToolOptions({ textLengthMax });
  checkToolNames(tools);
  const request = {
    messages: [{ role: "system" as const, content: system }, ...messages],
    tools: toDeclarations(tools),
    maxOutputTokens,
    temperature,
    signal,
  };
  const answer = (call: ToolCall, index: number): Promise<ToolResult> =>
    index < bounds.callCountMax
      ? inTime(call, { signal, clock, timeoutMs: bounds.callTimeoutMs }, (stopped) =>
          resultOf(tools, call, { signal: stopped }, callOptions),
        )
      : Promise.resolve({ call, text: tooManyCalls(bounds.callCountMax), succeeded: false });
  return { request, bounds, retry: resolveRetryOptions({ retryCountMax, retryWaitMsMax }), answer };
}

/** What the model answers, the second time if the first answer is empty. */
async function wordsOf(complete: () => Promise<ModelReply>): Promise<ModelReply> {
  const first = await complete();
  const reply = saysNothing(first) ? await complete() : first;
  if (saysNothing(reply)) throw new ModelError("invalid_output", "the model answered nothing, twice");
  return reply;
}

function saysNothing({ text, toolCalls }: ModelReply): boolean {
  return toolCalls.length === 0 && text.trim() === "";
}

/** What `work` comes to, or a result that says that it took too long. */
async function inTime(
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
    const text = `${call.name} did not answer within ${timeoutMs} ms. What it did until then may stay done.`;
    return { call, text, succeeded: false };
  } finally {
    cancel();
  }
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
