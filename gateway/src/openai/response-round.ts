import { isJsonObject, type JsonObject } from "@membus/protocol";
import type { StreamEvent } from "./event-reader.js";
import { appendTo, kindOf, memberOf, replaceJson, rootOf } from "./json-spans.js";
import {
  ANSWER_BYTES_MAX,
  type AnswerRound,
  type Continuation,
  checkOwnCallCount,
  objectOf,
  objectsIn,
  type ToolCall,
} from "./model-api.js";

/** The part of an answer that the client has received. Its rounds are one answer to the client. */
export interface SentToClient {
  id: string | undefined;
  /** Number of the last event. */
  sequence: number | undefined;
  /** Items of earlier rounds. */
  readonly items: JsonObject[];
}

interface HeldEvent {
  readonly block: StreamEvent;
  readonly event: JsonObject;
}

const STARTS: ReadonlySet<unknown> = new Set(["response.created", "response.queued", "response.in_progress"]);
const ENDS: ReadonlySet<unknown> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "error",
]);
/** Calls that the model server runs. */
const SERVER_CALLS: ReadonlySet<unknown> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call",
  "tool_search_call",
]);
/** Bytes of events that are held back until the model sends text. */
const HELD_BYTES_MAX = 1024 * 1024;

/**
 * A response without the calls of memory tools. Its first events are held back until the model sends text or
 * calls the application. A response that only calls memory has another id than the response that the client
 * gets.
 */
export class ResponseRound implements AnswerRound {
  readonly #isOwn: (name: unknown) => boolean;
  readonly #shown: SentToClient;
  /** True if the client has received nothing of earlier rounds. */
  readonly #isFirst: boolean;
  #isHolding: boolean;
  #held: HeldEvent[] = [];
  #heldBytes = 0;
  #items = new Map<number, JsonObject>();
  #itemsBytes = 0;
  #ownCount = 0;
  #id: string | undefined;
  #isCompleted = false;

  constructor(isOwn: (name: unknown) => boolean, shown: SentToClient) {
    this.#isOwn = isOwn;
    this.#shown = shown;
    this.#isFirst = shown.id === undefined;
    this.#isHolding = this.#isFirst;
  }

  get own(): readonly ToolCall[] {
    const calls = [...this.#items.values()].filter((item) => this.#isOwnCall(item));
    return calls.map(({ call_id, name, arguments: args }) => ({
      id: String(call_id),
      name: String(name),
      arguments: typeof args === "string" ? args : "",
    }));
  }

  get isOurs(): boolean {
    return this.#isCompleted && this.own.length > 0 && !this.#others().some(waitsForApplication);
  }

  takeWhole(json: string): string {
    const response = objectOf(json);
    if (response === undefined || !Array.isArray(response.output)) return json;
    this.#end(response, response.status === "completed");
    const left = this.isOurs ? response : this.#withoutOwn(response);
    return left === response ? json : JSON.stringify(left);
  }

  takeEvent(block: StreamEvent): Buffer[] {
    const event = objectOf(block.data);
    if (event !== undefined) this.#notice(event, block);
    if (this.isOurs) return [];
    if (event === undefined) return [block.bytes];
    this.#held.push({ block, event });
    this.#heldBytes += block.bytes.length;
    this.#isHolding &&= this.#saysNothing(event) && this.#heldBytes <= HELD_BYTES_MAX;
    return this.#isHolding ? [] : this.takeRest();
  }

  takeRest(): Buffer[] {
    return this.#held.splice(0).flatMap(({ block, event }) => {
      const left = this.#left(event);
      if (left === undefined) return [];
      const numbered = this.#numbered(left);
      return [numbered === event ? block.bytes : eventBytes(numbered)];
    });
  }

  errorEvent(error: unknown): Buffer {
    const { message = "", code = null, param = null } = isJsonObject(error) ? error : {};
    const sequence_number = (this.#shown.sequence ?? -1) + 1;
    return eventBytes({ type: "error", message, code, param, sequence_number, error: error as JsonObject });
  }

  answeredIn(body: Buffer, _text: string, results: readonly string[]): Buffer {
    const items = repeated(body, [...this.#items.values()]);
    return appendTo(withInputList(body), "input", [...items, ...this.#outputs(results)]);
  }

  continuation(results: readonly string[]): Continuation | undefined {
    const shownId = this.#shown.id ?? this.#id;
    if (this.#id === undefined || shownId === undefined) return undefined;
    const outputs = this.#outputs(results);
    return outputs.length === 0 && shownId === this.#id ? undefined : { shownId, id: this.#id, outputs };
  }

  #outputs(results: readonly string[]): JsonObject[] {
    const { own } = this;
    return results.map((output, n) => ({ type: "function_call_output", call_id: own[n]!.id, output }));
  }

  #notice(event: JsonObject, { bytes }: StreamEvent): void {
    const { type, item, output_index: index, response } = event;
    if (isJsonObject(item) && typeof index === "number") {
      this.#itemsBytes += bytes.length;
      if (this.#itemsBytes > ANSWER_BYTES_MAX) {
        throw new RangeError(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`);
      }
      if (!this.#items.has(index) && this.#isOwnCall(item)) checkOwnCallCount(++this.#ownCount);
      this.#items.set(index, item);
    }
    if (ENDS.has(type) && isJsonObject(response)) this.#end(response, type === "response.completed");
  }

  #end(response: JsonObject, isCompleted: boolean): void {
    this.#id = typeof response.id === "string" ? response.id : undefined;
    this.#isCompleted = isCompleted;
    const items = itemsIn(response);
    if (items.length > 0) this.#items = new Map(items.entries());
    checkOwnCallCount(this.own.length);
    if (this.isOurs && !this.#isHolding) this.#shown.items.push(...this.#others());
  }

  #others(): JsonObject[] {
    return [...this.#items.values()].filter((item) => !this.#isOwnCall(item));
  }

  #isOwnCall({ type, name, namespace }: JsonObject): boolean {
    return type === "function_call" && (namespace ?? null) === null && this.#isOwn(name);
  }

  /** Returns true if the event contains nothing for the client. */
  #saysNothing({ type, output_index: index }: JsonObject): boolean {
    if (typeof index !== "number") return !ENDS.has(type);
    const item = this.#items.get(index);
    return item !== undefined && (item.type === "reasoning" || this.#isOwnCall(item));
  }

  /** Returns the event without memory calls, undefined if nothing is left. */
  #left(event: JsonObject): JsonObject | undefined {
    const { type, response, output_index: index } = event;
    if (isJsonObject(response)) {
      if (STARTS.has(type) && !this.#isFirst) return undefined;
      const left = this.#withoutOwn(response);
      return left === response ? event : { ...event, response: left };
    }
    if (typeof index !== "number") return event;
    const item = this.#items.get(index);
    if (item !== undefined && this.#isOwnCall(item)) return undefined;
    const before = [...this.#items].filter(([at, one]) => at < index && this.#isOwnCall(one)).length;
    const place = index - before + this.#shown.items.length;
    return place === index ? event : { ...event, output_index: place };
  }

  /** Returns the response for the client, unchanged if nothing differs. */
  #withoutOwn(response: JsonObject): JsonObject {
    if (typeof response.id === "string") this.#shown.id ??= response.id;
    const changes: JsonObject = {};
    if (this.#shown.id !== undefined && this.#shown.id !== response.id) changes.id = this.#shown.id;
    if (Array.isArray(response.output)) {
      const left = itemsIn(response).filter((item) => !this.#isOwnCall(item));
      const output = [...this.#shown.items, ...left];
      if (output.length !== response.output.length || this.own.length > 0) changes.output = output;
    }
    const tools = objectsIn(response.tools);
    const others = tools.filter(({ name }) => !this.#isOwn(name));
    if (others.length < tools.length) changes.tools = others;
    return Object.keys(changes).length === 0 ? response : { ...response, ...changes };
  }

  #numbered(event: JsonObject): JsonObject {
    const { sequence_number: given } = event;
    if (typeof given !== "number") return event;
    this.#shown.sequence = this.#shown.sequence === undefined ? given : this.#shown.sequence + 1;
    return this.#shown.sequence === given ? event : { ...event, sequence_number: this.#shown.sequence };
  }
}

/** Converts an input that is a string into a list with a user message. */
export function withInputList(body: Buffer): Buffer {
  const input = memberOf(body, rootOf(body), "input");
  if (input === undefined || kindOf(body, input) !== '"') return body;
  const text = body.toString("utf8", input.start, input.end);
  return replaceJson(body, input, `[{"role":"user","content":${text}}]`);
}

export function itemsIn({ output }: JsonObject): JsonObject[] {
  return objectsIn(output);
}

/** Returns true for calls that the application must answer. Unknown item types are no calls. */
function waitsForApplication({ type }: JsonObject): boolean {
  const isCall = typeof type === "string" && (type.endsWith("_call") || type === "mcp_approval_request");
  return isCall && !SERVER_CALLS.has(type);
}

/** Removes ids, and reasoning that is not encrypted, if the model server does not store answers. */
function repeated(body: Buffer, items: readonly JsonObject[]): JsonObject[] {
  const store = memberOf(body, rootOf(body), "store");
  if (store === undefined || body.toString("utf8", store.start, store.end) !== "false") return [...items];
  return items.flatMap((item) => {
    const { id, ...unnamed } = item;
    if (item.type !== "reasoning") return [unnamed];
    return typeof item.encrypted_content === "string" ? [item] : [];
  });
}

function eventBytes(event: JsonObject): Buffer {
  return Buffer.from(`event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
}
