import type { ModelApi } from "./model-api.js";

/** Collects the text of an answer as it arrives. */
export class AnswerText {
  readonly #api: Pick<ModelApi, "readAnswer">;
  readonly #lengthMax: number;
  #text = "";
  #isFinished = false;
  #hasCalls = false;
  #id: string | undefined;

  /** @param lengthMax characters of a text that is kept. */
  constructor(api: Pick<ModelApi, "readAnswer">, lengthMax: number) {
    this.#api = api;
    this.#lengthMax = lengthMax;
  }

  /** "" if the text was longer than `lengthMax`. */
  get text(): string {
    return this.#text.length > this.#lengthMax ? "" : this.#text;
  }

  /** True if the model has finished the answer. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** True if the model has finished without a word or a call. Such a turn has no answer. */
  get isEmpty(): boolean {
    return this.#isFinished && this.#text.trim() === "" && !this.#hasCalls;
  }

  /** Id of a finished answer that the model server stores. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Adds an answer, or an event of a stream. */
  add(json: string): void {
    const part = this.#api.readAnswer(json);
    if (part === undefined) return;
    if (this.#text.length <= this.#lengthMax) this.#text += part.text;
    this.#hasCalls ||= part.hasCalls === true;
    if (!part.isFinished) return;
    this.#isFinished = true;
    this.#id = part.id ?? this.#id;
  }
}
