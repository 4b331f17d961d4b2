import type { ModelApi } from "./model-api.js";

/** What the model says, as it comes. */
export class AnswerText {
  readonly #api: Pick<ModelApi, "heardIn">;
  readonly #lengthMax: number;
  #text = "";
  #isFinished = false;
  #id: string | undefined;

  /** @param lengthMax what is longer is not kept. */
  constructor(api: Pick<ModelApi, "heardIn">, lengthMax: number) {
    this.#api = api;
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

  /** Of the answer, where the model server stores it; known when it is finished. */
  get id(): string | undefined {
    return this.#id;
  }

  /** An answer, or an event of a stream. */
  add(json: string): void {
    const heard = this.#api.heardIn(json);
    if (heard === undefined) return;
    if (this.#text.length <= this.#lengthMax) this.#text += heard.text;
    if (!heard.isFinished) return;
    this.#isFinished = true;
    this.#id = heard.id ?? this.#id;
  }
}
