import { type Json, keyHash } from "@membus/protocol";
import { recordEntry } from "@membus/protocol/records";
import { textOf } from "../conversation/index.js";
import type { ChatMessage } from "../model/index.js";
import type { Draft } from "./draft.js";
import { TOOL_TARGET } from "./memory-record.js";

/** Maximum number of stored characters of arguments and results. The history has all of them. */
const KEPT_LENGTH_MAX = 20_000;

interface CallOfTool {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  readonly result: ChatMessage;
}

/**
 * Stages a `tool_call` record for each call with a result, unless it exists. The statistics of guidelines are
 * computed from these records. A result with `is_error: true` or `success: false` is a failure.
 */
export async function stageToolCalls(
  draft: Draft,
  conversation: string,
  messages: readonly ChatMessage[],
): Promise<void> {
  const namespace = draft.space.targetNamespace(TOOL_TARGET);
  for (const call of callsIn(messages)) {
    const entry = callEntry(
      draft.space.derivedId("tool_call", conversation, call.id, call.tool, call.input),
      call,
    );
    const memoryId = keyHash(entry.key);
    const known = await draft.read(namespace, [memoryId]);
    if (!known.has(memoryId)) draft.write(namespace, { entry, revision: 0 });
  }
}

function callsIn(messages: readonly ChatMessage[]): CallOfTool[] {
  const results = new Map(
    messages.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, message]] : [])),
  );
  return messages.flatMap(({ tool_calls = [] }) =>
    tool_calls.flatMap(({ id, name: tool, arguments: input }) => {
      const result = results.get(id);
      return result === undefined ? [] : [{ id, tool, input, result }];
    }),
  );
}

function callEntry(id: string, { tool, input, result }: CallOfTool) {
  const success = result.is_error !== true && result.success !== false;
  const content = {
    tool,
    input: jsonOr(input),
    output: textOf(result).slice(0, KEPT_LENGTH_MAX).toWellFormed(),
    success,
    ...figure("token_cost", result),
    ...figure("time_cost_s", result),
  };
  const metadata = { tool, success };
  return { ...recordEntry({ kind: "tool_call", key: { tool_call: id }, content, metadata }), group: tool };
}

function figure(
  name: "token_cost" | "time_cost_s",
  result: ChatMessage,
): { readonly [name: string]: number } {
  const value = result[name];
  return typeof value === "number" && value >= 0 ? { [name]: value } : {};
}

/** Parses arguments as JSON, or returns the text. */
function jsonOr(text: string): Json {
  if (text.length > KEPT_LENGTH_MAX) return text.slice(0, KEPT_LENGTH_MAX).toWellFormed();
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
