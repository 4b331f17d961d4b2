import { isJsonObject } from "@membus/protocol";
import { ChatRound } from "./chat-round.js";
import {
  appendText,
  appendTo,
  childrenOf,
  insertJson,
  type JsonSpan,
  kindOf,
  memberOf,
  rootOf,
} from "./json-spans.js";
import { type AnswerPart, type ModelApi, objectOf, objectsIn, type TurnRequest } from "./model-api.js";

/** `POST /v1/chat/completions`. */
export const chatCompletions: ModelApi = {
  messagesField: "messages",
  repeatsRequest: false,
  read,
  withSystemText,
  withTools: (body, tools) => appendTo(body, "tools", tools),
  continuedIn: (body) => body,
  readAnswer,
  rounds: () => (isOwn) => new ChatRound(isOwn),
};

function read(body: Buffer): TurnRequest | undefined {
  const request = objectOf(body.toString("utf8"));
  if (!Array.isArray(request?.messages)) return undefined;
  const { messages, metadata, user, tools, n = 1 } = request;
  if (!(messages as unknown[]).every((message) => isJsonObject(message))) return undefined;
  return {
    messages: messages as TurnRequest["messages"],
    metadata: isJsonObject(metadata) ? metadata : {},
    user: typeof user === "string" && user !== "" ? user : undefined,
    toolNames: toolNamesOf(tools),
    isSingle: n === 1 || n === null,
    follows: undefined,
  };
}

/** Appends to the first system message, or inserts one. */
function withSystemText(body: Buffer, text: string): Buffer {
  const messages = memberOf(body, rootOf(body), "messages")!;
  const first = childrenOf(body, messages)[0];
  const content = first && isSystem(body, first) ? memberOf(body, first, "content") : undefined;
  const kind = content && kindOf(body, content);
  if (kind === '"') return appendText(body, content!, `\n${text}`);
  if (kind === "[") {
    const comma = childrenOf(body, content!).length > 0 ? "," : "";
    return insertJson(body, content!.end - 1, comma + JSON.stringify({ type: "text", text }));
  }
  const message = JSON.stringify({ role: "system", content: text });
  return insertJson(body, messages.start + 1, first === undefined ? message : `${message},`);
}

function isSystem(body: Buffer, message: JsonSpan): boolean {
  const role = memberOf(body, message, "role");
  const named = role && body.toString("utf8", role.start, role.end);
  return named === '"system"' || named === '"developer"';
}

function toolNamesOf(tools: unknown): ReadonlySet<string> {
  const names = objectsIn(tools).map((tool) =>
    isJsonObject(tool.function) ? tool.function.name : undefined,
  );
  return new Set(names.filter((name) => typeof name === "string"));
}

/** Reads the first choice. */
function readAnswer(json: string): AnswerPart | undefined {
  const choice = objectsIn(objectOf(json)?.choices).find(({ index = 0 }) => index === 0);
  if (choice === undefined) return undefined;
  const source = choice.message ?? choice.delta;
  const { content, tool_calls } = isJsonObject(source) ? source : {};
  return {
    text: typeof content === "string" ? content : "",
    hasCalls: objectsIn(tool_calls).length > 0,
    isFinished: typeof choice.finish_reason === "string",
  };
}
