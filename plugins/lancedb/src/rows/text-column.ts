import type { Texts } from "@membus/plugin-kit";
import type { Data } from "apache-arrow";

/** UTF-8 texts in one buffer, decoded on demand. A text equal to the last one is not decoded again. */
export class TextColumn implements Texts {
  readonly #bytes: Buffer;
  readonly #offsets: Int32Array;
  /** Text of all rows, if they are equal. */
  readonly #common: string | undefined;
  /** Row of the last decoded text. */
  #lastRow: number | undefined;
  #last = "";

  /** Copies an Arrow column. */
  constructor({ values, valueOffsets, length }: Data) {
    const first = valueOffsets[0]!;
    this.#bytes = Buffer.from((values as Uint8Array).subarray(first, valueOffsets[length]));
    this.#offsets = new Int32Array(length + 1);
    for (let row = 0; row <= length; row++) this.#offsets[row] = valueOffsets[row]! - first;
    this.#common = this.#isOneText() ? this.at(0) : undefined;
  }

  at(row: number): string {
    if (this.#common !== undefined) return this.#common;
    if (this.#lastRow === undefined || !this.#equals(this.#lastRow, row)) {
      this.#last = this.#bytes.toString("utf8", this.#offsets[row], this.#offsets[row + 1]);
    }
    this.#lastRow = row;
    return this.#last;
  }

  lengthAt(row: number): number {
    return this.#offsets[row + 1]! - this.#offsets[row]!;
  }

  /**
   * Returns whether all texts are equal: they have one length, and the buffer equals itself shifted by this
   * length.
   */
  #isOneText(): boolean {
    const rowCount = this.#offsets.length - 1;
    if (rowCount === 0) return false;
    const length = this.lengthAt(0);
    for (let row = 1; row < rowCount; row++) if (this.lengthAt(row) !== length) return false;
    return this.#bytes.subarray(length).equals(this.#bytes.subarray(0, this.#bytes.length - length));
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
