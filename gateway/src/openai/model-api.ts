import type { OpenAiTool } from "@membus/agentic/tools";
import { isJsonObject, type JsonObject } from "@membus/protocol";
import type { StreamEvent } from "./event-reader.js";

/** Largest answer in bytes that is read before it is known whether the client gets it. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** Memory calls of one answer. Each is held in memory and answered. */
const OWN_CALL_COUNT_MAX = 1_000;

/** @throws {RangeError} for too many memory calls. */
export function checkOwnCallCount(count: number): void {
  if (count <= OWN_CALL_COUNT_MAX) return;
  throw new RangeError(`the answer has more than ${OWN_CALL_COUNT_MAX} memory calls`);
}

/** The parts of a request that memory uses. */
export interface TurnRequest {
  /** Messages with the roles of chat completions. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly user: string | undefined;
  /** Names of the application's tools. */
  readonly toolNames: ReadonlySet<string>;
  /** True if the request expects one answer in the foreground. Only then can the gateway run tool calls. */
  readonly isSingle: boolean;
  /** Id of the answer that the request continues. */
  readonly follows: string | undefined;
}

/** Text of an answer, or of an event of one. */
export interface AnswerPart {
  readonly text: string;
  /** True if the model has finished the answer. */
  readonly isFinished: boolean;
  /** True if the model calls tools. */
  readonly hasCalls?: boolean | undefined;
  /** Id of an answer that the model server stores. */
  readonly id?: string | undefined;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Data to continue a stored conversation after an answer that the client has only seen in part. */
export interface Continuation {
  /** Id of the answer that the client received. */
  readonly shownId: string;
  /** Id of the answer's last round, from which the model server must continue. */
  readonly id: string;
  /** Results of calls that the client has not seen. */
  readonly outputs: readonly object[];
}

/** One of the answers that the model gives to one request. */
export interface AnswerRound {
  /** Calls of memory tools. */
  readonly own: readonly ToolCall[];
  /** True if the answer has ended with calls of memory tools only. The end is then not sent to the client. */
  readonly isOurs: boolean;
  /** Returns the answer without calls of memory tools, unchanged if it has none. */
  takeWhole(json: string): string;
  /** Returns the bytes for the client after this event. */
  takeEvent(block: StreamEvent): Buffer[];
  /** Returns the bytes that are held back until the stream ends. */
  takeRest(): Buffer[];
  /** Returns an error of a later round as an event of the open stream. */
  errorEvent(error: unknown): Buffer;
  /** Returns the request with the answer (`text` and calls) and the results of its calls. */
  answeredIn(body: Buffer, text: string, results: readonly string[]): Buffer;
  /** Returns how to continue, if the client cannot know. `results` are the results of memory calls. */
  continuation(results: readonly string[]): Continuation | undefined;
}

/** An API of a model server: how its requests and answers are read and changed. */
export interface ModelApi {
  /** Field of a request with its messages. */
  readonly messagesField: string;
  /** True if an answer may repeat its request. */
  readonly repeatsRequest: boolean;
  /** Returns undefined for an invalid request, which the model server rejects. */
  read(body: Buffer): TurnRequest | undefined;
  /** Returns the request with this text for the model. Every other byte stays. */
  withSystemText(body: Buffer, text: string): Buffer;
  /** Returns the request with additional tools. */
  withTools(body: Buffer, tools: readonly OpenAiTool[]): Buffer;
  /** Returns the request as the model server must receive it to continue an answer. */
  continuedIn(body: Buffer, continuation: Continuation): Buffer;
  /** Returns undefined if the event has no text and no end. */
  readAnswer(json: string): AnswerPart | undefined;
  /**
   * Starts the rounds of one request. @returns a function that starts a round, given which tool names are
   * memory tools.
   */
  rounds(): (isOwn: (name: unknown) => boolean) => AnswerRound;
}

/** Returns undefined if the text is not a JSON object. */
export function objectOf(json: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the objects of a list. Empty if it is not a list. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter((one): one is JsonObject => isJsonObject(one)) : [];
}

/** Returns the text of a message's content, without parts that are no text. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = objectsIn(content).map(({ text }) => (typeof text === "string" ? text : ""));
  return texts.filter((text) => text !== "").join("\n");
}
