import { textOf } from "../../conversation/index.js";
import type { ChatMessage } from "../../model/index.js";
import { speakingMessages } from "../recall/recalled-text.js";
import type { ToolCallReport } from "./tool-call.js";

/**
 * The calls in a talk that were answered, for `recordToolCalls`. A call has failed if its message has the `status` "error".
 * Calls of tools that recall are left out. Costs and times are not in a talk.
 */
export function toolCallReports(messages: readonly ChatMessage[]): ToolCallReport[] {
  const calls = new Map(messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call])));
  return speakingMessages(messages).flatMap((message) => {
    const call = message.role === "tool" ? calls.get(message.tool_call_id ?? "") : undefined;
    if (call === undefined) return [];
    const input = inputOf(call.arguments);
    const success = message.status !== "error";
    return [{ call_id: call.id, tool_name: call.name, input, output: textOf(message), success }];
  });
}

/** What a model wrote may be no JSON: then the call is of that text. */
function inputOf(written: string): ToolCallReport["input"] {
  try {
    return JSON.parse(written) as ToolCallReport["input"];
  } catch {
    return written;
  }
}
