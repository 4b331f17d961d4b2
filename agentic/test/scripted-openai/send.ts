import type { ServerResponse } from "node:http";
import type { ScriptedError, ScriptedFault, ScriptedReply } from "./script.js";

export interface Rendered {
  readonly contentType: string;
  readonly text: string;
}

const BODIES = {
  "bad-json": '{"choices":[{"index":0,',
  "error-event":
    '{"choices":[{"index":0,"delta":{"content":"I th"}}]}\n\ndata: {"error":{"message":"overloaded","code":"overloaded"}}',
  "no-completion": '{"object":"list","data":[]}',
  "no-choices": '{"object":"chat.completion","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":0}}',
};

export function sendError(
  response: ServerResponse,
  { status, message = `status ${status}`, code, headers }: ScriptedError,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(
    JSON.stringify({ error: { message, type: "scripted_error", param: null, code: code ?? null } }),
  );
}

export function sendFault(response: ServerResponse, { fault }: ScriptedFault, stream: boolean): void {
  if (fault === "no-answer") return;
  if (fault === "reset") {
    response.destroy();
    return;
  }
  response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
  if (fault === "stalled") {
    response.flushHeaders();
    return;
  }
  const text = BODIES[fault];
  response.end(stream ? `data: ${text}\n\ndata: [DONE]\n\n` : text);
}

export function sendReply(
  response: ServerResponse,
  { contentType, text }: Rendered,
  answer: ScriptedReply,
): void {
  response.writeHead(200, { "content-type": contentType });
  const isStream = contentType.startsWith("text/event-stream");
  const texts = answer.refusal === undefined ? text : asRefusal(text, isStream);
  const pieces = isStream ? texts.split(/(?<=\n\n)/) : [...texts];
  const { cutAfter, endAfter } = answer;
  if (cutAfter !== undefined) {
    // The last events of a stream have the finish reason, the usage and the end.
    const countMax = isStream ? Math.max(1, pieces.length - 3) : pieces.length;
    response.write(pieces.slice(0, Math.min(cutAfter, countMax)).join(""), () => response.destroy());
  } else {
    response.end(pieces.slice(0, endAfter).join(""));
  }
}

/** Moves the text of an answer to the refusal field, which the library does not support. */
function asRefusal(text: string, isStream: boolean): string {
  const move = (json: string) => JSON.stringify(JSON.parse(json, refusalForContent));
  return isStream
    ? text.replaceAll(/^data: (\{.*\})$/gm, (_, json: string) => `data: ${move(json)}`)
    : move(text);
}

function refusalForContent(name: string, value: unknown): unknown {
  if ((name !== "message" && name !== "delta") || typeof value !== "object" || value === null) return value;
  const { content, ...rest } = value as { readonly content?: unknown };
  return content === undefined ? value : { ...rest, content: null, refusal: content };
}
