import type { Texts } from "@membus/plugin-kit";
import type { Data } from "apache-arrow";

/** Texts as UTF-8 in one buffer, decoded when asked for. A text like the one asked for last is not decoded again. */
export class TextColumn implements Texts {
  readonly #bytes: Buffer;
  readonly #offsets: Int32Array;
  /** Row of the text decoded last. */
  #lastRow: number | undefined;
  #last = "";

  /** Copies an Arrow column. */
  constructor({ values, valueOffsets, length }: Data) {
    const first = valueOffsets[0]!;
    this.#bytes = Buffer.from((values as Uint8Array).subarray(first, valueOffsets[length]));
    this.#offsets = new Int32Array(length + 1);
    for (let row = 0; row <= length; row++) this.#offsets[row] = valueOffsets[row]! - first;
  }

  at(row: number): string {
    if (this.#lastRow === undefined || !this.#equals(this.#lastRow, row)) {
      this.#last = this.#bytes.toString("utf8", this.#offsets[row], this.#offsets[row + 1]);
    }
    this.#lastRow = row;
    return this.#last;
  }

  lengthAt(row: number): number {
    return this.#offsets[row + 1]! - this.#offsets[row]!;
  }

  #equals(a: number, b: number): boolean {
    const length = this.lengthAt(a);
    if (length !== this.lengthAt(b)) return false;
    const from = this.#offsets[a]!;
    const to = this.#offsets[b]!;
    for (let at = 0; at < length; at++) if (this.#bytes[from + at] !== this.#bytes[to + at]) return false;
    return true;
  }
}
