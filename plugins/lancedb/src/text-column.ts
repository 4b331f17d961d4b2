import type { Data } from "apache-arrow";

/** Texts as UTF-8 in one buffer, decoded when asked for. A text like the one asked for last is not decoded again. */
export class TextColumn {
  readonly #bytes: Buffer;
  readonly #offsets: Float64Array;
  #lastBytes: Buffer = Buffer.alloc(0);
  #last = "";

  constructor(count: number, sizeBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(sizeBytes);
    this.#offsets = new Float64Array(count + 1);
  }

  /** Takes in an Arrow column as the rows from `from` on. */
  copy(from: number, { values, valueOffsets, length }: Data): void {
    const first = valueOffsets[0]!;
    const before = this.#offsets[from]!;
    this.#bytes.set((values as Uint8Array).subarray(first, valueOffsets[length]), before);
    for (let row = 0; row < length; row++) {
      this.#offsets[from + row + 1] = before + valueOffsets[row + 1]! - first;
    }
  }

  at(index: number): string {
    const bytes = this.#bytes.subarray(this.#offsets[index], this.#offsets[index + 1]);
    if (!bytes.equals(this.#lastBytes)) {
      this.#lastBytes = bytes;
      this.#last = bytes.toString("utf8");
    }
    return this.#last;
  }
}
