import { createParser } from "eventsource-parser";

/** An event of a stream. */
export interface StreamEvent {
  /** The text as it was received, with its comments and line ends. */
  readonly bytes: Buffer;
  /** The `data` field, "" if it is absent. */
  readonly data: string;
}

const LINES = /[^\n]+\n?|\n/g;

/** Splits a stream of server-sent events into its events, and keeps the text of each for passing it on unchanged. */
export class EventReader {
  readonly #lengthMax: number;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    onEvent: ({ data }) => {
      this.#data = data;
    },
  });
  #data = "";
  #text = "";
  #isBlankLine = true;
  #isTooLong = false;

  /** @param lengthMax characters of one event. After a longer event the rest of the stream is ignored. */
  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  /** True after an event that was too long. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  /** Text that was received after the last complete event. */
  get rest(): Buffer {
    return Buffer.from(this.#text);
  }

  /** Returns the events that are complete with this piece. */
  read(piece: Uint8Array): StreamEvent[] {
    if (this.#isTooLong) return [];
    const events: StreamEvent[] = [];
    for (const [line] of this.#decoder.decode(piece, { stream: true }).matchAll(LINES)) {
      this.#text += line;
      this.#parser.feed(line);
      this.#isBlankLine &&= /^\r?\n?$/.test(line);
      if (!line.endsWith("\n")) continue;
      if (this.#isBlankLine) events.push(this.#takeEvent());
      this.#isBlankLine = true;
    }
    if (this.#text.length > this.#lengthMax) this.#giveUp();
    return events;
  }

  #takeEvent(): StreamEvent {
    const event = { bytes: Buffer.from(this.#text), data: this.#data };
    this.#text = "";
    this.#data = "";
    return event;
  }

  #giveUp(): void {
    this.#isTooLong = true;
    this.#text = "";
    this.#parser.reset();
  }
}
