import type { OpenAiTool } from "@membus/agentic";
import { isJsonObject, type JsonObject } from "@membus/protocol";
import type { StreamEvent } from "./event-reader.js";

/** Of an answer that has to be read before it is known whose it is. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** What memory has to know of a request; the rest is the model server's. */
export interface TurnRequest {
  /** What was said, with roles as chat completions have them. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly user: string | undefined;
  /** Names of the application's own tools. */
  readonly toolNames: ReadonlySet<string>;
  /** Whether one answer is asked for, which is waited for: others cannot have calls answered on their way. */
  readonly isSingle: boolean;
  /** Id of the answer behind which the model server is to go on. */
  readonly follows: string | undefined;
}

/** What an answer, or an event of one, says. */
export interface Heard {
  readonly text: string;
  /** The model has ended by itself. */
  readonly isFinished: boolean;
  /** Of the answer, where the model server stores it. */
  readonly id?: string | undefined;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** How what the model server keeps goes on behind an answer of which the client has not seen all. */
export interface Continuation {
  /** Of the answer, as the client was told. */
  readonly shownId: string;
  /** Of the answer's last round, which is what has to be gone on from. */
  readonly id: string;
  /** What came of calls that the client has not seen. */
  readonly outputs: readonly object[];
}

/** One answer of the model among those that are asked of it for one request. */
export interface AnswerRound {
  /** Calls of memory's tools. */
  readonly own: readonly ToolCall[];
  /** It has ended, and calls memory's tools alone: nothing of its end goes to the client. */
  readonly isOurs: boolean;
  /** The answer without calls of memory's tools: itself where it has none. */
  takeWhole(json: string): string;
  /** What goes to the client when this event has come. */
  takeEvent(block: StreamEvent): Buffer[];
  /** What was held back when the stream ends. */
  takeRest(): Buffer[];
  /** An error of a later round, as an event of the stream that has begun. */
  errorEvent(error: unknown): Buffer;
  /** The request with what the model said, `text` and calls, and what came of these. */
  answeredIn(body: Buffer, text: string, results: readonly string[]): Buffer;
  /** How it is gone on from, where the client does not know; `results` are those of memory's calls in it. */
  continuation(results: readonly string[]): Continuation | undefined;
}

/** One of the APIs in which a model is asked: what the gateway has to know of its requests and answers. */
export interface ModelApi {
  /** An answer may have all of its request in it. */
  readonly repeatsRequest: boolean;
  /** Undefined for what asks for no answer: the model server says what is wrong with it. */
  read(body: Buffer): TurnRequest | undefined;
  /** The request with this text for the model. Every other byte stays. */
  withSystemText(body: Buffer, text: string): Buffer;
  /** The request with these tools, too. */
  withTools(body: Buffer, tools: readonly OpenAiTool[]): Buffer;
  /** The request, which follows an answer, as the model server has to be asked to go on from there. */
  continuedIn(body: Buffer, continuation: Continuation): Buffer;
  /** Undefined where it says nothing. */
  heardIn(json: string): Heard | undefined;
  /**
   * What begins the rounds of one request.
   * @returns what begins a round, in which tools of these names are memory's.
   */
  rounds(): (isOwn: (name: unknown) => boolean) => AnswerRound;
}

/** Undefined for what is no JSON object. */
export function objectOf(json: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The elements of a list that are objects; none of what is no list. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter((one): one is JsonObject => isJsonObject(one)) : [];
}

/** The text of a message's content: of parts, those that are text. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = objectsIn(content).map(({ text }) => (typeof text === "string" ? text : ""));
  return texts.filter((text) => text !== "").join("\n");
}
