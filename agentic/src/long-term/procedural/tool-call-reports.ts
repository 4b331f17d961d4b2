import { textOf } from "../../conversation/index.js";
import type { ChatMessage } from "../../model/index.js";
import { spokenMessages } from "../recall/recalled-text.js";
import type { ToolCallReport } from "./tool-call.js";

/**
 * Returns the answered calls of a conversation, for `recordToolCalls`. A call has failed if its message has
 * the `status` "error". Calls of recall tools are left out. Costs and times are unknown.
 */
export function toolCallReports(messages: readonly ChatMessage[]): ToolCallReport[] {
  const calls = new Map(messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call])));
  return spokenMessages(messages).flatMap((message) => {
    const call = message.role === "tool" ? calls.get(message.tool_call_id ?? "") : undefined;
    if (call === undefined) return [];
    const input = inputOf(call.arguments);
    const success = message.status !== "error";
    return [{ call_id: call.id, tool_name: call.name, input, output: textOf(message), success }];
  });
}

/** Parses arguments, or returns the text if it is not JSON. */
function inputOf(written: string): ToolCallReport["input"] {
  try {
    return JSON.parse(written) as ToolCallReport["input"];
  } catch {
    return written;
  }
}
