import type { ServerResponse } from "node:http";
import type { RawRequest } from "../raw-upstream.js";
import { blockOf, eventsOf, type ScriptedItem } from "../response-events.js";

/**
 * Fate of a stream. "well": answered. "silent": no answer. "stalled": only a beginning. "failed": an error.
 * "reset": connection reset. "cut": no end. "later": cut after the model has called memory. "left": abandoned
 * by the client.
 */
export const FATES = ["well", "silent", "stalled", "failed", "reset", "cut", "later", "left"] as const;
export type Fate = (typeof FATES)[number];

const look = {
  call: "retrieve_from_memory",
  arguments: { thinking: "asked", keywords: ["stream"] },
};
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const responseText = (items: readonly ScriptedItem[]) => eventsOf("r", items, []).map(blockOf).join("");

const CHAT_CALL = {
  index: 0,
  id: "c",
  type: "function",
  function: { name: look.call, arguments: JSON.stringify(look.arguments) },
};
const ANSWERS = {
  chat: {
    whole: `${chunk({ content: "well" })}${chunk({}, "stop")}data: [DONE]\n\n`,
    part: chunk({ content: "we" }),
    call: `${chunk({ tool_calls: [CHAT_CALL] })}${chunk({}, "tool_calls")}data: [DONE]\n\n`,
  },
  responses: {
    whole: responseText([{ text: "well" }]),
    part: responseText([{ text: "we" }]).split("event: response.output_text.done")[0]!,
    call: responseText([look]),
  },
};

/** Answers according to the header `x-fate` of the request. */
export function answerAsFated(response: ServerResponse, { url, headers, body }: RawRequest): void {
  const { whole, part, call } = ANSWERS[url.endsWith("/responses") ? "responses" : "chat"];
  const fate = headers["x-fate"] as Fate;
  if (fate === "silent") return;
  if (fate === "reset") return void response.destroy();
  if (fate === "failed") {
    response.writeHead(503, { "content-type": "application/json" });
    return void response.end('{"error":{"message":"busy","code":"busy"}}');
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const isFirst =
    body.includes("record_to_memory") && !/function_call_output|"role":"tool"/.test(body.toString());
  if (fate === "well") response.end(whole);
  else if (fate === "later" && isFirst) response.end(call);
  else if (fate === "cut" || fate === "later") response.write(part, () => response.destroy());
  else response.write(part);
}
