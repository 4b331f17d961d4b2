import type { OpenAiTool } from "@membus/agentic/tools";
import { isJsonObject, type JsonObject } from "@membus/protocol";
import {
  appendText,
  appendTo,
  insertMember,
  kindOf,
  memberOf,
  prependTo,
  replaceJson,
  rootOf,
} from "./json-spans.js";
import {
  type AnswerPart,
  type Continuation,
  type ModelApi,
  objectOf,
  objectsIn,
  type TurnRequest,
} from "./model-api.js";
import { itemsIn, ResponseRound, type SentToClient, withInputList } from "./response-round.js";

/** `POST /v1/responses`. */
export const responses: ModelApi = {
  messagesField: "input",
  repeatsRequest: true,
  read,
  withSystemText,
  withTools: (body, tools) => appendTo(body, "tools", tools.map(responseTool)),
  continuedIn,
  readAnswer,
  rounds: () => {
    const shown: SentToClient = { id: undefined, sequence: undefined, items: [] };
    return (isOwn) => new ResponseRound(isOwn, shown);
  },
};

function read(body: Buffer): TurnRequest | undefined {
  const request = objectOf(body.toString("utf8"));
  const messages = request && messagesOf(request.input ?? []);
  if (request === undefined || messages === undefined) return undefined;
  const { metadata, user, tools, background, conversation, previous_response_id: follows } = request;
  const names = objectsIn(tools).map(({ name }) => name);
  return {
    messages,
    metadata: isJsonObject(metadata) ? metadata : {},
    user: typeof user === "string" && user !== "" ? user : undefined,
    toolNames: new Set(names.filter((name) => typeof name === "string")),
    // The model server stores the calls of a conversation, and cannot continue after a call without a
    // result.
    isSingle: background !== true && (conversation ?? undefined) === undefined,
    follows: typeof follows === "string" ? follows : undefined,
  };
}

/** Treats items without a role (calls, results, reasoning) as parts of an earlier answer. */
function messagesOf(input: unknown): TurnRequest["messages"] | undefined {
  if (typeof input === "string") return [{ role: "user", content: input }];
  const items = objectsIn(input);
  if (!Array.isArray(input) || items.length < input.length) return undefined;
  return items.map((item) => (typeof item.role === "string" ? item : { role: "assistant" }));
}

/** Appends to the instructions, because the model server would store a message. */
function withSystemText(body: Buffer, text: string): Buffer {
  const given = memberOf(body, rootOf(body), "instructions");
  if (given === undefined) return insertMember(body, "instructions", JSON.stringify(text));
  if (kindOf(body, given) === "n") return replaceJson(body, given, JSON.stringify(text));
  return kindOf(body, given) === '"' ? appendText(body, given, `\n${text}`) : body;
}

/** Sets `strict` explicitly, because strict tools, the default, have no optional arguments. */
function responseTool({ type, function: declared }: OpenAiTool): object {
  return { type, ...declared, strict: false };
}

function continuedIn(body: Buffer, { id, outputs }: Continuation): Buffer {
  const followed = memberOf(body, rootOf(body), "previous_response_id")!;
  const following = replaceJson(body, followed, JSON.stringify(id));
  return outputs.length === 0 ? following : prependTo(withInputList(following), "input", outputs);
}

function readAnswer(json: string): AnswerPart | undefined {
  const event = objectOf(json);
  if (event?.type === "response.output_text.delta") {
    return { text: typeof event.delta === "string" ? event.delta : "", isFinished: false };
  }
  if (event?.type === "response.completed" || event?.type === "response.incomplete") {
    return { text: "", isFinished: true, hasCalls: hasCalls(event.response), id: idOf(event.response) };
  }
  if (event?.status !== "completed" && event?.status !== "incomplete") return undefined;
  return { text: outputTextOf(event), isFinished: true, hasCalls: hasCalls(event), id: idOf(event) };
}

/** Returns whether the output has items that are neither words nor thoughts. */
function hasCalls(response: unknown): boolean {
  return (
    isJsonObject(response) && itemsIn(response).some(({ type }) => type !== "message" && type !== "reasoning")
  );
}

function idOf(response: unknown): string | undefined {
  return isJsonObject(response) && typeof response.id === "string" ? response.id : undefined;
}

/** Joins the output text as clients do. */
function outputTextOf(response: JsonObject): string {
  const parts = itemsIn(response).flatMap((item) => (item.type === "message" ? objectsIn(item.content) : []));
  return parts
    .map(({ type, text }) => (type === "output_text" && typeof text === "string" ? text : ""))
    .join("");
}
