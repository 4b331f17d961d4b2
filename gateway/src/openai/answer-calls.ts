import { isJsonObject } from "@membus/protocol";
import type { MemoryTools, ToolCall } from "./memory-tools.js";

interface CallPart {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface Said {
  readonly tool_calls?: readonly CallPart[];
}

interface Choice {
  readonly index?: number;
  readonly message?: Said;
  readonly delta?: Said;
}

/** Takes the calls of memory's tools out of an answer; those of the application stay in it. */
export class AnswerCalls {
  readonly #tools: MemoryTools;
  readonly #own = new Map<number, { id: string; name: string; arguments: string }>();
  #hasOthers = false;

  constructor(tools: MemoryTools) {
    this.#tools = tools;
  }

  /** Of memory's tools. */
  get own(): readonly ToolCall[] {
    return [...this.#own.values()];
  }

  /** Whether the application has calls to answer. */
  get hasOthers(): boolean {
    return this.#hasOthers;
  }

  /** The completion, or the event, without them: itself where it has none. */
  take(json: string): string {
    const parsed = parse(json);
    const choice = parsed?.choices.find(({ index = 0 }) => index === 0);
    const said = choice?.message ?? choice?.delta;
    if (parsed === undefined || !Array.isArray(said?.tool_calls)) return json;
    const others = said.tool_calls.filter((part, n) => !this.#keep(part, part.index ?? n));
    if (others.length > 0) this.#hasOthers = true;
    if (this.#own.size === 0) return json;
    const tool_calls = others.length === 0 ? undefined : others.map((part) => this.#renumbered(part));
    Object.assign(said, { tool_calls });
    return JSON.stringify(parsed);
  }

  /** @returns whether it is a call, or a part of one, of memory's tools. */
  #keep({ id = "", function: called }: CallPart, index: number): boolean {
    const known = this.#own.get(index);
    if (known !== undefined) known.arguments += called?.arguments ?? "";
    else if (this.#tools.has(called?.name)) {
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

function parse(json: string): { readonly choices: readonly Choice[] } | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    const isCompletion =
      isJsonObject(parsed) &&
      Array.isArray(parsed.choices) &&
      parsed.choices.every((choice) => isJsonObject(choice));
    return isCompletion ? (parsed as unknown as { readonly choices: readonly Choice[] }) : undefined;
  } catch {
    return undefined;
  }
}
