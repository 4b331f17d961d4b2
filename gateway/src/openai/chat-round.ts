import type { StreamEvent } from "./event-reader.js";
import { appendTo } from "./json-spans.js";
import {
  ANSWER_BYTES_MAX,
  type AnswerRound,
  checkOwnCallCount,
  objectOf,
  objectsIn,
  type ToolCall,
} from "./model-api.js";

interface CallPart {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface Said {
  readonly tool_calls?: readonly CallPart[];
}

interface Choice {
  readonly message?: Said;
  readonly delta?: Said;
  readonly finish_reason?: unknown;
}

/** A completion without the calls of memory tools. Calls of the application's tools stay. */
export class ChatRound implements AnswerRound {
  readonly #isOwn: (name: unknown) => boolean;
  readonly #own = new Map<number, { id: string; name: string; arguments: string }>();
  #keptLength = 0;
  #hasOthers = false;
  #isFinished = false;

  constructor(isOwn: (name: unknown) => boolean) {
    this.#isOwn = isOwn;
  }

  get own(): readonly ToolCall[] {
    return [...this.#own.values()];
  }

  get isOurs(): boolean {
    return this.#isFinished && this.#own.size > 0 && !this.#hasOthers;
  }

  takeWhole(json: string): string {
    const parsed = objectOf(json);
    const choice = objectsIn(parsed?.choices).find(({ index = 0 }) => index === 0) as Choice | undefined;
    if (typeof choice?.finish_reason === "string") this.#isFinished = true;
    const source = choice?.message ?? choice?.delta;
    if (!Array.isArray(source?.tool_calls)) return json;
    const others = source.tool_calls.filter((part, n) => !this.#keep(part, part.index ?? n));
    if (others.length > 0) this.#hasOthers = true;
    if (this.#own.size === 0) return json;
    const tool_calls = others.length === 0 ? undefined : others.map((part) => this.#renumbered(part));
    Object.assign(source, { tool_calls });
    return JSON.stringify(parsed);
  }

  takeEvent({ bytes, data }: StreamEvent): Buffer[] {
    const left = this.takeWhole(data);
    if (this.isOurs) return [];
    return [left === data ? bytes : Buffer.from(`data: ${left}\n\n`)];
  }

  takeRest(): Buffer[] {
    return [];
  }

  errorEvent(error: unknown): Buffer {
    return Buffer.from(`data: ${JSON.stringify({ error })}\n\n`);
  }

  answeredIn(body: Buffer, text: string, results: readonly string[]): Buffer {
    const { own } = this;
    const tool_calls = own.map(({ id, ...rest }) => ({ id, type: "function", function: rest }));
    return appendTo(body, "messages", [
      { role: "assistant", content: text === "" ? null : text, tool_calls },
      ...results.map((content, n) => ({ role: "tool", tool_call_id: own[n]!.id, content })),
    ]);
  }

  /** Returns nothing, because each request repeats the conversation. */
  continuation(): undefined {
    return undefined;
  }

  /** @returns true if the call, or the part of a call, is of a memory tool. */
  #keep({ id = "", function: called }: CallPart, index: number): boolean {
    const known = this.#own.get(index);
    this.#keptLength += called?.arguments?.length ?? 0;
    if (this.#keptLength > ANSWER_BYTES_MAX) {
      throw new RangeError(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    }
    if (known !== undefined) known.arguments += called?.arguments ?? "";
    else if (this.#isOwn(called?.name)) {
      this.#keptLength += id.length;
      checkOwnCallCount(this.#own.size + 1);
      this.#own.set(index, { id, name: called!.name!, arguments: called?.arguments ?? "" });
    }
    return this.#own.has(index);
  }

  #renumbered(part: CallPart): CallPart {
    if (part.index === undefined) return part;
    const before = [...this.#own.keys()].filter((index) => index < part.index!).length;
    return { ...part, index: part.index - before };
  }
}
