/** An event of a stream, as it came. */
export interface EventBlock {
  readonly bytes: Buffer;
  /** Its `data`; "" where it has none. */
  readonly data: string;
}

const BLANK_LINE = /\r?\n\r?\n/g;
/** Of a blank line that is not whole yet. */
const SEEN_AGAIN = 3;

/** Puts the events of a stream together out of the pieces in which it comes. */
export class EventBlocks {
  readonly #bytesMax: number;
  /** Bytes as characters, so that none is changed. */
  #pending = "";
  #isLost = false;

  /** @param bytesMax of one event: behind a longer one nothing is understood any more. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** An event was too long. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** What came behind the last event. */
  get rest(): Buffer {
    return Buffer.from(this.#pending, "latin1");
  }

  /** The events that end with this piece. */
  add(piece: Uint8Array): EventBlock[] {
    if (this.#isLost) return [];
    const from = Math.max(0, this.#pending.length - SEEN_AGAIN);
    this.#pending += Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString("latin1");
    const blocks: EventBlock[] = [];
    let start = 0;
    BLANK_LINE.lastIndex = from;
    for (let found = BLANK_LINE.exec(this.#pending); found; found = BLANK_LINE.exec(this.#pending)) {
      blocks.push(blockOf(this.#pending.slice(start, BLANK_LINE.lastIndex)));
      start = BLANK_LINE.lastIndex;
    }
    this.#pending = this.#pending.slice(start);
    if (this.#pending.length > this.#bytesMax) this.#lose();
    return blocks;
  }

  #lose(): void {
    this.#isLost = true;
    this.#pending = "";
  }
}

function blockOf(text: string): EventBlock {
  const bytes = Buffer.from(text, "latin1");
  const lines = bytes.toString("utf8").split(/\r?\n/);
  const data = lines.flatMap((line) => /^data: ?(.*)$/s.exec(line)?.[1] ?? []).join("\n");
  return { bytes, data };
}
