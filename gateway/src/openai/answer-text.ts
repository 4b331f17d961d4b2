import { isJsonObject } from "@membus/protocol";

interface Choice {
  readonly index?: number;
  readonly message?: { readonly content?: unknown };
  readonly delta?: { readonly content?: unknown };
  readonly finish_reason?: string | null;
}

/** What the model says in its first choice, as it comes. */
export class AnswerText {
  readonly #lengthMax: number;
  #text = "";
  #isFinished = false;

  /** @param lengthMax what is longer is not kept. */
  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  /** "" for what is longer than is kept. */
  get text(): string {
    return this.#text.length > this.#lengthMax ? "" : this.#text;
  }

  /** The model has ended by itself. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** A completion, or an event of a stream. */
  add(json: string): void {
    const choice = firstChoice(json);
    if (choice === undefined) return;
    const content = (choice.message ?? choice.delta)?.content;
    if (typeof content === "string" && this.#text.length <= this.#lengthMax) this.#text += content;
    if (typeof choice.finish_reason === "string") this.#isFinished = true;
  }
}

function firstChoice(json: string): Choice | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    if (!isJsonObject(parsed) || !Array.isArray(parsed.choices)) return undefined;
    return (parsed.choices as unknown as readonly Choice[]).find(({ index = 0 }) => index === 0);
  } catch {
    return undefined;
  }
}
