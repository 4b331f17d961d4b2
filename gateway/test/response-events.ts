import type { ServerResponse } from "node:http";

/** Items of one answer of a model server, in order. */
export type ScriptedItem =
  | { readonly text: string }
  | { readonly thought: string }
  | { readonly call: string; readonly arguments: object };

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

const id = (kind: string, response: string, index: number) => `${kind}_${response}_${index}`;

function itemOf(scripted: ScriptedItem, response: string, index: number): object {
  if ("text" in scripted) {
    const content = [{ type: "output_text", text: scripted.text, annotations: [] }];
    return {
      type: "message",
      id: id("msg", response, index),
      role: "assistant",
      status: "completed",
      content,
    };
  }
  if ("thought" in scripted) {
    return {
      type: "reasoning",
      id: id("rs", response, index),
      summary: [],
      encrypted_content: scripted.thought,
    };
  }
  return {
    type: "function_call",
    id: id("fc", response, index),
    call_id: id("call", response, index),
    name: scripted.call,
    arguments: JSON.stringify(scripted.arguments),
    status: "completed",
  };
}

function itemEvents(scripted: ScriptedItem, response: string, output_index: number): Event[] {
  const item = itemOf(scripted, response, output_index) as { readonly id: string };
  const at = { item_id: item.id, output_index };
  const done = { type: "response.output_item.done", output_index, item };
  const added = (rest: object) => ({
    type: "response.output_item.added",
    output_index,
    item: { ...item, status: "in_progress", ...rest },
  });
  if ("thought" in scripted) return [added({}), done];
  if ("call" in scripted) {
    const args = JSON.stringify(scripted.arguments);
    return [
      added({ arguments: "" }),
      { type: "response.function_call_arguments.delta", ...at, delta: args.slice(0, 5), obfuscation: "x" },
      { type: "response.function_call_arguments.delta", ...at, delta: args.slice(5) },
      { type: "response.function_call_arguments.done", ...at, arguments: args, name: scripted.call },
      done,
    ];
  }
  const [part, place] = [
    { type: "output_text", text: "", annotations: [] },
    { ...at, content_index: 0 },
  ];
  return [
    added({ content: [] }),
    { type: "response.content_part.added", ...place, part },
    ...[...scripted.text].map((delta) => ({
      type: "response.output_text.delta",
      ...place,
      delta,
      logprobs: [],
    })),
    { type: "response.output_text.done", ...place, text: scripted.text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: { ...part, text: scripted.text } },
    done,
  ];
}

/** Returns the numbered events of a response, as the API documents them. */
export function eventsOf(
  response: string,
  items: readonly ScriptedItem[],
  tools: readonly object[],
): Event[] {
  const described = {
    id: response,
    object: "response",
    created_at: 1,
    model: "scripted",
    error: null,
    tools,
  };
  const output = items.map((item, index) => itemOf(item, response, index));
  const events = [
    { type: "response.created", response: { ...described, status: "in_progress", output: [] } },
    { type: "response.in_progress", response: { ...described, status: "in_progress", output: [] } },
    ...items.flatMap((item, index) => itemEvents(item, response, index)),
    { type: "response.completed", response: { ...described, status: "completed", output } },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

export const blockOf = (event: Event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** Answers in the format that the request asks for. */
export function answerWith(
  response: ServerResponse,
  body: Buffer,
  [name, items]: readonly [string, readonly ScriptedItem[]],
): void {
  const { stream, tools = [] } = JSON.parse(body.toString()) as { stream?: boolean; tools?: object[] };
  const events = eventsOf(name, items, tools);
  response.setHeader("content-type", stream ? "text/event-stream" : "application/json");
  response.end(stream ? events.map(blockOf).join("") : JSON.stringify(events.at(-1)!.response));
}
